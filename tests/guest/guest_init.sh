# SPDX-License-Identifier: Apache-2.0
# What the first processes of guests share; sourced by busybox's shell. A guest says "VERDICT: passed", or "FAILED" or "skipped" and
# why, and is off.
# shellcheck shell=sh
export PATH=/bin

finish() {
  echo "VERDICT: $*"
  poweroff -f
}

# expect CODE WORDS COMMAND...: the command ends with CODE and says WORDS. Leaves what it said in $said.
expect() {
  code="$1" words="$2"
  shift 2
  said="$("$@" 2>&1)"
  got=$?
  [ "$got" = "$code" ] || finish "FAILED: '$*' ended with $got instead of $code: $said"
  case "$said" in
    *"$words"*) ;;
    *) finish "FAILED: '$*' did not say '$words': $said" ;;
  esac
}

note() { echo "guest: $* after $(cut -d' ' -f1 /proc/uptime) s"; }

/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
while read -r module; do insmod "/modules/$module" || finish "FAILED: insmod $module"; done < /modules/order
note 'modules are loaded'
