// SPDX-License-Identifier: Apache-2.0
// Host errors: typed exceptions, thrown anywhere, caught once in main, each with the exit code it ends with.
#pragma once

#include <stdexcept>
#include <string>

namespace graphrun {

/// Exit codes of all programs. not_reached: graphrun --strict, where a run did not converge or a path does not exist.
enum class ExitCode : int { done = 0, failed = 1, usage = 2, not_reached = 3, unavailable = 77 };

/// Base of all errors this library throws on purpose. The message is one sentence that a user can act on.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

/// The user asked for something that does not exist or does not fit together. Exit 2.
struct UsageError : Error {
  explicit UsageError(const std::string& message) : Error(ExitCode::usage, message) {}
};

/// A file is missing, damaged or lies about itself; a disk is full. Names the file and the line or offset. Exit 1.
struct DataError : Error {
  explicit DataError(const std::string& message) : Error(ExitCode::failed, message) {}
};

/// A graph has more vertices than 32-bit ids can name, or its file has ids of 64 bits: the library with 64-bit ids reads it.
struct WideIdsError : DataError {
  using DataError::DataError;
  bool asked_for = false;  ///< by the user, and not by the graph
};

/// The machine failed during a run (a CUDA call, a worker, a deadline). Exit 1.
struct RunError : Error {
  explicit RunError(const std::string& message) : Error(ExitCode::failed, message) {}
};

/// The request is valid, but this machine or build lacks what it needs. Exit 77, so that tests count it as skipped.
struct UnavailableError : Error {
  explicit UnavailableError(const std::string& message) : Error(ExitCode::unavailable, message) {}
};

/// A signal ended the run after a round. Programs then end by this signal; mpirun exits with 128 + signal.
struct StoppedError : Error {
  StoppedError(int by, const std::string& when)
      : Error(static_cast<ExitCode>(128 + by), "ended by signal " + std::to_string(by) + " " + when), signal(by) {}
  int signal;
};

}  // namespace graphrun
