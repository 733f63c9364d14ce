import { randomBytes } from 'node:crypto'
import { StringDecoder } from 'node:string_decoder'
import type { Command, CommandEnd, CommandRefusal, Outcome } from '../../modules/machines.ts'
import { captureOutput } from '../local/output-capture.ts'
import { cannotRun, type There } from './ask.ts'
import { quote } from './command-line.ts'
import { MarkedStream } from './marked-stream.ts'
import { attempt } from './once.ts'

/** Time from SIGTERM to SIGKILL for one who has cancelled, and waits. */
const CANCEL_GRACE_MS = 500
/** Of one argument, as Linux has it, and of all, as they are read at a reasonable pace. */
const LONGEST_WORD = 128 * 1024
const LONGEST = 1024 * 1024

/** Finds out first whether it can begin, so that what is said of that is no word of the program. */
const START = `
n() { printf '%s %s\\n' "$D" "$1"; exit 0; }
case $p in
  -*) n no_program ;;
  */*)
    [ -e "$p" ] || n no_program
    [ -f "$p" ] && [ -x "$p" ] || n denied
    ;;
  *)
    f=; IFS=:
    for d in $PATH; do if [ -f "\${d:-.}/$p" ] && [ -x "\${d:-.}/$p" ]; then f=1; break; fi; done
    unset IFS
    [ -n "$f" ] || n no_program
    ;;
esac
printf '%s run\\n' "$D"
`

/** `Machine.run`. */
export async function runCommand(there: There, command: Command, signal: AbortSignal): Promise<Outcome> {
  const { argv, cwd, stdin, deadline_ms, max_bytes, onOutput } = command
  const refusal = unfit(argv, cwd)
  if (refusal !== null) return refusal
  const word = randomBytes(16).toString('hex')
  const words = argv.map(quote).join(' ')
  const into =
    cwd === undefined
      ? ''
      : `cd -- ${quote(cwd)} 2>/dev/null || { [ -d ${quote(cwd)} ] && n denied; n no_directory; }\n`
  const script = `D=${word}\np=${quote(argv[0])}${START.replace('case', `${into}case`)}exec ${words}`
  const input = stdin === undefined ? undefined : typeof stdin === 'string' ? Buffer.from(stdin) : stdin

  const { limits } = there
  let outcome = ''
  let from = 0
  let stopped: CommandEnd['stopped'] = null
  let out = captureOutput(max_bytes)
  let err = captureOutput(max_bytes)
  const end = await attempt(
    there,
    signal,
    deadline_ms,
    () => {
      outcome = ''
      out = captureOutput(max_bytes)
      err = captureOutput(max_bytes)
      const decoder = new StringDecoder('utf8')
      const output = new MarkedStream(
        word,
        (said) => (outcome = said),
        (chunk) => {
          out.push(chunk)
          onOutput?.(decoder.write(chunk))
        },
      )
      return {
        script,
        input,
        onBegin: () => (from = performance.now()),
        onOutput: (chunk) => void output.push(chunk),
        onErrors: (chunk) => err.push(chunk),
      }
    },
    (why) => {
      stopped = why
      return why === 'cancelled' ? Math.min(CANCEL_GRACE_MS, limits.grace) : limits.grace
    },
  )
  if (end.kind === 'lost') return end
  const { name, account } = there.connection.target
  if (!end.begun) return { kind: 'refused', why: 'other', detail: cannotRun(name, account, end.noise) }
  if (outcome !== 'run' && stopped === null) return refused(outcome, argv[0], err.text())
  return {
    kind: 'ended',
    exit_code: end.code,
    signal: end.signal,
    stdout: out.text(),
    stderr: err.text(),
    cut: { stdout: out.cut(), stderr: err.cut() },
    duration_ms: Math.round(performance.now() - from),
    stopped,
    background: stopped === null && (end.held || (await end.session.isRunning(end.pid))),
  }
}

function unfit(argv: readonly string[], cwd: string | undefined): CommandRefusal | null {
  if ([...argv, cwd ?? ''].some((text) => text.includes('\0')))
    return { kind: 'refused', why: 'other', detail: 'A NUL character cannot be part of a command.' }
  const lengths = argv.map((text) => Buffer.byteLength(text))
  if (lengths.every((each) => each < LONGEST_WORD) && lengths.reduce((sum, each) => sum + each, 0) < LONGEST)
    return null
  return { kind: 'refused', why: 'too_long', detail: 'Argument list too long' }
}

const DETAILS = {
  no_program: 'No such program',
  no_directory: 'No such directory',
  denied: 'Permission denied',
} as const

function refused(word: string, program: string, errors: string): CommandRefusal {
  const why = (['no_program', 'no_directory', 'denied'] as const).find((each) => each === word)
  if (why === undefined) return { kind: 'refused', why: 'other', detail: errors.slice(0, 1000) }
  return { kind: 'refused', why, detail: `${program}: ${DETAILS[why]}` }
}
