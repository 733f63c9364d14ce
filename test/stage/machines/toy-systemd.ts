import type { RootMachine } from './root-machine.ts'

/**
 * `systemctl` as far as the tools ask it, over files in /srv/units: what it prints is in the words of the real one. A unit
 * with a file `dying` ends by itself one second after each start.
 */
const SYSTEMCTL = `#!/bin/sh
[ "$1" = --no-ask-password ] && shift
verb=$1
umask 022
while [ $# -gt 0 ] && [ "$1" != -- ]; do shift; done
[ $# = 0 ] || shift
unit=$1
cd /srv/units || exit 1
get() { cat "$1" 2>/dev/null || echo "$2"; }
start() {
  echo active >$unit/state
  n=$(($(get $unit/count 100) + 1))
  echo $n >$unit/count
  echo $n >$unit/pid
  [ ! -e $unit/dying ] || setsid sh -c "sleep 1; echo failed >$unit/state; echo 0 >$unit/pid" >/dev/null 2>&1 </dev/null &
}
stop() { echo inactive >$unit/state; echo 0 >$unit/pid; }
case $verb in
show)
  [ -n "$unit" ] || set -- *.service
  for unit; do
    if [ ! -d "$unit" ]; then printf 'Id=%s\\nLoadState=not-found\\nActiveState=inactive\\n\\n' "$unit"; continue; fi
    printf 'Type=simple\\nResult=success\\nNRestarts=0\\nMainPID=%s\\nId=%s\\nDescription=Toy\\nLoadState=%s\\nActiveState=%s\\nSubState=%s\\nUnitFileState=%s\\nTriggeredBy=%s\\n\\n' \\
      "$(get $unit/pid 0)" "$unit" "$(get $unit/load loaded)" "$(get $unit/state inactive)" "$(get $unit/state dead)" "$(get $unit/boot disabled)" "$(get $unit/triggered '')"
  done ;;
list-dependencies) printf '%s\\n' "$unit"; [ ! -e $unit/needed ] || sed 's/^/  /' $unit/needed ;;
start) [ -d "$unit" ] || { echo "Failed to start $unit: Unit $unit not found." >&2; exit 5; }; start ;;
restart) stop; start ;;
stop) stop ;;
reload) ;;
enable) echo enabled >$unit/boot ;;
disable) echo disabled >$unit/boot ;;
esac
exit 0
`

/** Puts it there, with these units: files of each by name. */
export async function putSystemd(
  machine: RootMachine,
  units: Readonly<Record<string, Readonly<Record<string, string>>>>,
): Promise<void> {
  await machine.put('/usr/bin/systemctl', SYSTEMCTL, 0o755)
  for (const [unit, files] of Object.entries({ ...units }))
    for (const [name, text] of Object.entries(files)) await machine.put(`/srv/units/${unit}/${name}`, `${text}\n`)
  machine.sh('chmod -R a+rX /srv/units')
}

/** `journalctl` as far as it is asked what the journal uses, and to make it smaller; its size is in /srv/journal. */
const JOURNALCTL = `#!/bin/sh
case $* in
*--disk-usage*) echo "Archived and active journals take up $(cat /srv/journal) in the file system." ;;
*--list-boots*) echo ' 0 5f5b1a3c Tue 2024-11-19 07:06:40 UTC—Tue 2024-11-19 08:00:00 UTC' ;;
*--vacuum-size=*) echo 8.0M >/srv/journal; echo 'Vacuuming done, freed 992.0M' ;;
esac
`

export async function putJournal(machine: RootMachine): Promise<void> {
  await machine.put('/usr/bin/journalctl', JOURNALCTL, 0o755)
}
