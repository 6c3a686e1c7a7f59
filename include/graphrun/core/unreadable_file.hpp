// Which watched file could not be read: WatchedFile::read_zeros() lets a program go on, so it asks at its end.
#pragma once

#include <string>

namespace graphrun {

/// Returns the name of a watched file whose pages were read as zeros, open or closed by now; empty when there is none.
std::string unreadable_file();

/// The same for handlers of signals; null when there is none.
const char* unreadable_file_for_handlers() noexcept;

}  // namespace graphrun
