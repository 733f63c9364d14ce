import { randomBytes } from 'node:crypto'
import type { Each, EachWanted } from '../../../modules/machines.ts'
import type { Question } from '../ask.ts'
import { quote } from '../command-line.ts'

/** Directories whose files one program reads. */
const BATCH = 24
const LINKS_MAX = 4096
/** The environment has to be read whole, however little is wanted of each file. */
const LEAST = 4096
/** Bytes of all that is read together. */
const MOST = 64 * 1024 * 1024

/**
 * `Machine.readEach`: one program reads the files of many directories, one after the other. Between any two it reads its
 * own environment, with a random word in it that no file can contain, and so tells where one ends.
 */
export function readEachQuestion(parent: string, wanted: EachWanted): Question & { parse(answer: Buffer): Each[] } {
  const word = randomBytes(16).toString('hex')
  const files = wanted.files.map((file) => `"$d"${quote(file)} "$E"`).join(' ')
  const batch = Array.from({ length: BATCH }, (_, at) => `"\${${at + 1}}"`).join(' ')
  const links = wanted.links === undefined ? '' : linksOf(quote(wanted.links))
  const script = `
unset HOME LOGNAME USER MAIL SHELL SSH_CLIENT SSH_CONNECTION SSH_TTY SSH_ORIGINAL_COMMAND XDG_SESSION_ID XDG_RUNTIME_DIR LANG OLDPWD
W=${word}; E=/proc/self/environ; REEVE=${word}; export REEVE
cd -- ${quote(parent)} 2>/dev/null || exit 0
set -- ${wanted.numbers === true ? '[0-9]' : ''}*/
[ -d "$1" ] || [ "$#" -gt 1 ] || exit 0
printf '%s\\0' "$@"
printf '%s\\0' "$W"
# With its path: BusyBox's shell would else be the program itself, with the environment it was started with.
H=head; IFS=:
for d in $PATH; do if [ -x "$d/head" ]; then H=$d/head; break; fi; done
unset IFS
h() { "$H" -q -c ${Math.max(LEAST, wanted.max * 4)} -- "$@"; }
b() {
  n=$#
  for d do set -- "$@" ${files}; done
  shift "$n"
  # Each error in a line of its own: what a program said last comes without its line break.
  e="$e
$(h "$@" 2>&1 >&3)"
}
a() {
  while [ "$#" -ge ${BATCH} ]; do b ${batch}; shift ${BATCH}; done
  [ "$#" -eq 0 ] || b "$@"
}
h "$E" "$E"
e=
{ a "$@"; } 3>&1
printf '%s' "$e"
printf '%s\\0' "$W"${links}
exit 0`
  return { script, most: MOST, parse: (answer) => parse(answer, Buffer.from(`${word}\0`), wanted) }
}

/** GNU's and toybox's `find` can end names with NUL; BusyBox's `ls` replaces line breaks in them. */
function linksOf(folder: string): string {
  return `
for d do shift; set -- "$@" "./$d"${folder}; done
if find . -maxdepth 0 -printf '' 2>/dev/null; then find "$@" -mindepth 1 -maxdepth 1 -type l -printf '%p\\0%l\\0' 2>/dev/null
else printf '%s\\0' "$W"; ls -l /dev/null "$@" 2>/dev/null; fi`
}

function parse(answer: Buffer, word: Buffer, wanted: EachWanted): Each[] {
  const names = answer.indexOf(word)
  if (names === -1) return []
  const folders = answer.toString('utf8', 0, names).split('\0').slice(0, -1)
  let at = names + word.length
  // The environment comes twice: so much is one.
  const first = answer.indexOf(word, at)
  const second = answer.indexOf(word, first + 1)
  const environment = answer.subarray(at, at + second - first)
  at += environment.length
  if (first === -1 || second === -1 || !environment.equals(answer.subarray(at, at + environment.length))) return []
  at += environment.length
  const each = folders.map((folder) => {
    const files: Record<string, string> = {}
    for (const file of wanted.files) {
      const end = answer.indexOf(environment, at)
      if (end === -1) break
      files[file] = answer.toString('utf8', at, end).slice(0, wanted.max)
      at = end + environment.length
    }
    return { name: folder.slice(0, -1), files, links: [] as string[] }
  })
  const errors = answer.indexOf(word, at)
  leaveOut(each, answer.toString('utf8', at, errors))
  if (wanted.links !== undefined && errors !== -1)
    addLinks(each, answer.subarray(errors + word.length), word, `/${wanted.links}`)
  return wanted.numbers === true ? each.filter(({ name }) => /^\d+$/.test(name)) : each
}

/** What could not be read has come as empty as what is empty; errors name it: `head: cannot open '7/stat' for reading: …`. */
function leaveOut(each: readonly { name: string; files: Record<string, string> }[], errors: string): void {
  const FAILED = /^(?:\S*\/)?head: (?:cannot open |error reading |can't open )?['"‘]?(.+?)['"’]?(?: for reading)?: /gm
  const failed = new Set([...errors.matchAll(FAILED)].map(([, path]) => path))
  for (const { name, files } of each)
    for (const [file, text] of Object.entries(files))
      if (text === '' && failed.has(`${name}/${file}`)) delete files[file]
}

function addLinks(
  each: readonly { name: string; links: string[] }[],
  text: Buffer,
  word: Buffer,
  folder: string,
): void {
  const byName = new Map(each.map((one) => [one.name, one.links]))
  const add = (name: string, target: string): void => {
    const links = byName.get(name)
    // Empty where it may not be read.
    if (links !== undefined && target !== '' && links.length < LINKS_MAX) links.push(target)
  }
  if (!text.subarray(0, word.length).equals(word)) {
    const parts = text.toString('utf8').split('\0')
    for (let at = 0; at + 1 < parts.length; at += 2) add(parts[at]!.slice(2).split('/')[0]!, parts[at + 1]!)
    return
  }
  let name = ''
  for (const line of text.toString('utf8', word.length).split('\n')) {
    const arrow = line.indexOf(' -> ')
    if (line.startsWith('./') && line.endsWith(`${folder}:`)) name = line.slice(2, -folder.length - 1)
    else if (line.startsWith('l') && arrow !== -1) add(name, line.slice(arrow + 4))
  }
}
