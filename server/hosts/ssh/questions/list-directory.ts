import { randomBytes } from 'node:crypto'
import type { Entry, ReadProblem } from '../../../modules/machines.ts'
import type { Question } from '../ask.ts'
import { quote } from '../command-line.ts'
import { WHY_NOT } from './read-files.ts'

/** Bytes of an entry on average, at the very most. */
const LONG = 1024
const KINDS: Readonly<Record<string, Entry['kind']>> = { f: 'file', d: 'directory', l: 'link' }

/** `Machine.listDir`. GNU's `find` can say of what kind each is; others are asked for one kind after the other. */
export function listDirectoryQuestion(
  path: string,
  { max, deep = false }: { max: number; deep?: boolean },
): Question & { parse(answer: Buffer): Entry[] | ReadProblem } {
  const word = randomBytes(16).toString('hex')
  const most = max * LONG
  const depth = deep ? '' : '-maxdepth 1 '
  const script = `${WHY_NOT}
p=${quote(path)}
if ! cd -- "$p" 2>/dev/null || [ ! -r . ]; then
  if [ -d "$p" ]; then w=denied; elif [ -e "$p" ]; then w=not_directory; else y "$p"; fi
  printf '%s %s' ${word} "$w"
  exit 0
fi
l() { printf '%s%s\\0' ${word} "$1"; k=$1; shift; find . ${depth}! -name . "$@" -print0 2>/dev/null; }
{
  if find . -maxdepth 0 -printf '' 2>/dev/null; then find . -mindepth 1 ${depth}-printf '%y%P\\0' 2>/dev/null
  else l d -type d; l f -type f; l l -type l; l o ! -type d ! -type f ! -type l; fi
} | head -c ${most}
exit 0`
  return {
    script,
    most: most + word.length + 20,
    parse(answer) {
      // What stands after the last NUL was cut.
      const whole = answer.lastIndexOf(0)
      const text = answer.toString('utf8', 0, whole === -1 ? answer.length : whole)
      if (text.startsWith(`${word} `)) return text.slice(word.length + 1) as ReadProblem
      if (whole === -1) return []
      let kind: string | null = null
      const entries = text.split('\0').flatMap((part): Entry[] => {
        if (part.startsWith(word)) kind = part.slice(word.length)
        else if (kind === null) return [{ name: part.slice(1), kind: KINDS[part[0] ?? ''] ?? 'other' }]
        else return [{ name: part.slice(2), kind: KINDS[kind] ?? 'other' }]
        return []
      })
      return entries.slice(0, max)
    },
  }
}
