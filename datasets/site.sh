# The collection's own site, or a mirror of it, as a source of graphs; sourced by fetch.sh, never run.
#
# Archives lie in $cache as GROUP-NAME.tar.gz once they are complete, until then as GROUP-NAME.tar.gz.part.
# shellcheck shell=bash
# shellcheck disable=SC2154  # cache and work are fetch.sh's

connect_seconds=8

bytes_of() { stat -c %s "$1" 2> /dev/null || echo 0; }

# Appends to PART what it lacks of the network's file. Returns 75 when nothing answered at URL at all.
download_once() {
  local url="$1" part="$2" status=0 http unreachable
  if command -v curl > /dev/null; then
    unreachable="^(5|6|7|28|35)$"  # no proxy, no name, no connection, timeout, no TLS
    http="$(curl --fail --silent --show-error --location --connect-timeout "$connect_seconds" --speed-limit 1000 \
                 --speed-time 30 --continue-at - --output "$part" --write-out '%{http_code}' "$url")" || status=$?
    # Nothing was lacking: an earlier call was killed between the last byte and the new name.
    if [[ "$http" == 416 ]]; then say "its download was complete already"; status=0; fi
    # A server that cannot send ranges sends everything again.
    ((status != 33)) || rm -f "$part"
  elif command -v wget > /dev/null; then
    unreachable="^4$"  # network failure
    wget --no-verbose --connect-timeout="$connect_seconds" --read-timeout=30 --tries=1 --continue --output-document="$part" \
         "$url" >&2 || status=$?
  else
    say "neither curl nor wget is installed"
    return 1
  fi
  if [[ "$status" =~ $unreachable ]]; then return 75; fi
  ((status == 0))
}

# Writes the network's file to TARGET, going on where an earlier call stopped. A broken connection is taken up again as long
# as that brings something. Returns as download_once.
download() {
  local url="$1" part="$2.part" target="$2" status attempt before
  for attempt in 1 2 3 4 5 6 7 8; do
    before="$(bytes_of "$part")"
    status=0
    download_once "$url" "$part" || status=$?
    if ((status == 0)); then publish "$part" "$target"; return; fi
    [[ "$(bytes_of "$part")" != "$before" ]] || return "$status"
    say "attempt $attempt at $url broke off; going on with it"
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
