#include "graphrun/core/split_list.hpp"

#include <fmt/format.h>

#include <sstream>

#include "graphrun/core/error.hpp"

namespace graphrun {

std::vector<std::string> split_list(const std::string& text, char separator, const std::string& what) {
  std::vector<std::string> names;
  std::istringstream stream(text + separator);  // so that what ends with a separator has an empty name behind it
  for (std::string name; std::getline(stream, name, separator);) {
    if (name.empty()) {
      throw UsageError(
          text.empty() ? fmt::format("{} was given nothing", what)
                       : fmt::format("{} has an empty name in '{}': write '{}' only between two names", what, text, separator));
    }
    names.push_back(name);
  }
  return names;
}

}  // namespace graphrun
