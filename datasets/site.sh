# SPDX-License-Identifier: Apache-2.0
# The collection's own site, or a mirror of it, as a source of graphs; sourced by fetch.sh, never run.
#
# Archives lie in $cache as GROUP-NAME.tar.gz once they are complete, until then as GROUP-NAME.tar.gz.part. Beside that lie
# .part.headers, what the server said as it sent the first bytes, and .part.more, what it said as it went on last.
# shellcheck shell=bash
# shellcheck disable=SC2154  # cache and work are fetch.sh's

connect_seconds=8

bytes_of() { stat -c %s "$1" 2> /dev/null || echo 0; }

# Value of the last header NAME in FILE, in which lie those of curl or wget; the last answer's, where a server sent on to another.
header() { sed -n "s/^ *$2: *\\([^\\r]*\\)\\r*$/\\1/Ip" "$1" 2> /dev/null | tail -n 1; }

# Status of the last answer; empty when there was none.
http_status() { sed -n 's|^ *HTTP/[0-9.]* \([0-9]*\).*|\1|p' "$1" 2> /dev/null | tail -n 1; }

forget() { rm -f "$1" "$1.headers" "$1.more"; }

# Both append to PART what it lacks of URL's file and leave the headers that came in HEADERS. They return 75 when nothing answered
# at all. Where a server sends all of the file instead of the rest, curl returns 33, and wget passes over what has come.
with_curl() {
  local url="$1" part="$2" headers="$3" status=0
  shift 3
  curl --fail --silent --show-error --location --connect-timeout "$connect_seconds" --speed-limit 1000 --speed-time 30 \
       --continue-at - --output "$part" --dump-header "$headers" "$@" "$url" || status=$?
  case "$status" in 5 | 6 | 7 | 28 | 35) return 75 ;; esac  # no proxy, no name, no connection, timeout, no TLS
  return "$status"
}
with_wget() {
  local url="$1" part="$2" headers="$3" status=0
  shift 3
  wget --no-verbose --server-response --connect-timeout="$connect_seconds" --read-timeout=30 --tries=1 --continue \
       --output-document="$part" --output-file="$headers" "$@" "$url" || status=$?
  ((status == 0)) || tail -n 1 "$headers" >&2
  ((status != 4)) || [[ -n "$(http_status "$headers")" ]] || return 75  # network failure
  return "$status"
}

# Appends to PART what it lacks of the network's file. What is of another file than the one that is there now is thrown away.
# Returns 75 when nothing answered at URL at all.
download_once() {
  local url="$1" part="$2" headers="$2.headers" tag="" new_tag length status=0 client options=()
  if command -v curl > /dev/null; then client=curl; else client=wget; fi
  command -v "$client" > /dev/null || { say "neither curl nor wget is installed"; return 1; }
  if [[ -s "$part" ]]; then
    tag="$(header "$headers" etag)"
    headers="$part.more"
    # A server that has another file by now sends all of it. A weak tag is not of the very bytes.
    [[ "$tag" != \"* ]] || options=(--header "If-Range: $tag")
  fi
  : > "$headers"
  "with_$client" "$url" "$part" "$headers" "${options[@]}" || status=$?
  [[ "$headers" == *.more ]] || return "$status"
  new_tag="$(header "$headers" etag)"
  if [[ "$(http_status "$headers")" == 416 ]]; then
    length="$(header "$headers" content-range)"
    length="${length#*/}"
    if [[ -z "$length" || "$length" == "$(bytes_of "$part")" ]]; then
      say "its download was complete already"  # an earlier call was killed between the last byte and the new name
      return 0
    fi
  elif [[ "$status" != 33 && ("$tag" != \"* || -z "$new_tag" || "$tag" == "$new_tag") ]]; then
    return "$status"
  fi
  say "the server sends no rest of what has come: it has another file now, or sends whole files only"
  forget "$part"
  return 1
}

# Writes the network's file to TARGET, going on where an earlier call stopped. A broken connection is taken up again, eight times
# and eight times more after every 16 MiB. Returns as download_once.
download() {
  local url="$1" part="$2.part" target="$2" status left=8 before after furthest=0
  while ((left-- > 0)); do
    before="$(bytes_of "$part")"
    status=0
    download_once "$url" "$part" || status=$?
    if ((status == 0)); then
      publish "$part" "$target" && forget "$part"
      return
    fi
    after="$(bytes_of "$part")"
    [[ "$after" != "$before" ]] || return "$status"
    if ((after > furthest + (16 << 20))); then left=8 furthest="$after"; fi
    say "$url broke off; going on with it"
  done
  return 1
}

site_copy() { printf '%s\n' "$cache/$(field "$1" group)-$1.tar.gz"; }

# Not asked again once it has not answered: without network every graph would wait for its own timeout.
site_state=unknown
from_site() {
  local name="$1" target="$2" url archive status=0
  url="$(url_of "$name")"
  archive="$(site_copy "$name")"
  if [[ ! -f "$archive" ]]; then
    [[ "$site_state" != down ]] || return 1
    say "$name: downloading $url"
    download "$url" "$archive" || status=$?
    if ((status == 75)); then
      site_state=down
      say "the collection's site ($site) cannot be reached from here"
    fi
    if ((status != 0)); then
      [[ ! -s "$archive.part" ]] || say "$name: what has come is kept for the next call"
      return 1
    fi
  fi
  tar -xzOf "$archive" "$name/$name.mtx" > "$target" && return 0
  if tar -tzf "$archive" "$name/$name.mtx" > /dev/null 2>&1; then
    say "$name: cannot be unpacked into $work"
  else
    say "$name: the archive has no readable $name/$name.mtx"
    drop_site "$name"
  fi
  return 1
}

drop_site() { rm -f "$(site_copy "$1")"; }
