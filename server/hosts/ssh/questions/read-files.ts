import { randomBytes } from 'node:crypto'
import { posix } from 'node:path'
import type { FileRead, ReadOptions, ReadProblem } from '../../../modules/machines.ts'
import type { Question } from '../ask.ts'
import { quote } from '../command-line.ts'

/** `y`: why there is nothing at a path, or it cannot be read. */
export const WHY_NOT = `
y() {
  q=$1
  while [ -n "$q" ] && [ ! -e "$q" ]; do case $q in */*) q=\${q%/*} ;; *) q=. ;; esac; done
  if [ -d "\${q:-/}" ] && [ ! -x "\${q:-/}" ]; then w=denied; else w=missing; fi
}`

const READ = `
s() { printf '\\n%s %s\\n' "$D" "$1"; }
f() {
  if [ ! -e "$1" ]; then y "$1"; s "$w"
  elif [ ! -f "$1" ]; then s not_file
  elif [ ! -r "$1" ]; then s denied
  else
    e=$(head -c 1 2>&1 >/dev/null <"$1")
    case $e in
      *"o such"*) s missing ;;
      *ermi*) s denied ;;
      *) s failed ;;
    esac
  fi
}
r() { [ -f "$1" ] && $R 2>/dev/null <"$1" && s ok || f "$1"; }`

/** What is opened is compared with what is there: no link and no other file may take its place in between. */
const READ_WITHIN = `
r() {
  if ! cd -P -- "$B/" 2>/dev/null || ! cd -P -- "./$1" 2>/dev/null; then
    if [ -d "$B/$1" ]; then s denied; else y "$B/$1"; s "$w"; fi
  elif [ "$PWD" != "$B\${1:+/$1}" ] || [ -L "./$2" ]; then s link
  elif [ ! -f "./$2" ] || [ ! -r "./$2" ]; then f "./$2"
  else
    {
      if [ -L "./$2" ] || [ ! "./$2" -ef /dev/fd/3 ]; then s link
      elif $R 2>/dev/null <&3; then s ok
      else s failed; fi
    } 3<"./$2"
  fi
}`

const PROBLEMS: readonly string[] = ['missing', 'denied', 'not_file', 'link', 'failed'] satisfies ReadProblem[]

/** `Machine.readFiles`: the files one after the other, each ended by a line with a random word that none can contain. */
export function readFilesQuestion(
  paths: readonly string[],
  { max, tail = false, within }: ReadOptions,
): Question & { parse(answer: Buffer): Map<string, FileRead> } {
  const word = randomBytes(16).toString('hex')
  const asked = paths.filter((path) => within === undefined || isBelow(path))
  const lines = asked.map((path) => {
    if (within === undefined) return `r ${quote(path)}`
    const plain = posix.normalize(path)
    const folder = posix.dirname(plain)
    return `r ${quote(folder === '.' ? '' : folder)} ${quote(posix.basename(plain))}`
  })
  // The root alone ends with a slash, which would count twice.
  const base =
    within === undefined
      ? ''
      : `B=${quote(within)}\n[ -d "$B" ] || for i in ${asked.map(() => 1).join(' ')}; do y "$B"; s "$w"; done\n` +
        `cd -P -- "$B" 2>/dev/null || exit 0\nB=\${PWD%/}`
  return {
    // One byte more than wanted says whether there is more.
    script: `D=${word}; R='${tail ? 'tail' : 'head'} -c ${max + 1}'${WHY_NOT}${READ}${within === undefined ? '' : READ_WITHIN}\n${base}\n${lines.join('\n')}\nexit 0`,
    most: asked.length * (max + 100),
    parse(answer) {
      const read = new Map<string, FileRead>(paths.map((path) => [path, 'outside']))
      let at = 0
      for (const path of asked) {
        const end = answer.indexOf(`\n${word} `, at, 'latin1')
        const after = end === -1 ? -1 : answer.indexOf(10, end + 1)
        if (after === -1) read.set(path, 'failed')
        else {
          const status = answer.toString('latin1', end + word.length + 2, after)
          const bytes = answer.subarray(at, end)
          read.set(
            path,
            status === 'ok'
              ? firstOrLast(bytes, max, tail)
              : PROBLEMS.includes(status)
                ? (status as ReadProblem)
                : 'failed',
          )
          at = after + 1
        }
      }
      return read
    },
  }
}

function isBelow(path: string): boolean {
  const plain = posix.normalize(path)
  return !posix.isAbsolute(plain) && plain !== '..' && !plain.startsWith('../')
}

function firstOrLast(bytes: Buffer, max: number, tail: boolean): FileRead {
  const cut = bytes.length > max
  return { bytes: cut && tail ? bytes.subarray(bytes.length - max) : bytes.subarray(0, max), cut }
}
