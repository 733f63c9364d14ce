import { stripVTControlCharacters } from 'node:util'
import { z } from 'zod'
import type { CommandEnd, CommandRefusal, Machine } from '../../../server/modules/machines.ts'
import { machineTool } from '../machine-tool.ts'
import { lossOf } from '../programs/ask-program.ts'
import { commandWords } from '../programs/command-words.ts'
import { cutMiddle } from '../programs/cut-middle.ts'

const DEADLINE_MAX_S = 600
/** Characters of each stream that a model reads; the structured result contains more. */
const SHOWN = 20_000
const OUTPUT_LIMIT = 256 * 1024

/** Runs one program on the machine. */
export const runCommandTool = machineTool({
  name: 'run_command',
  title: 'Run a command',
  description:
    'Runs a program on the machine with the rights of the service and returns exit code and output. "command" is the program, "args" its arguments, each as it is ' +
    '(or "command" a simple command line, which is split at its spaces): no shell expands $, *, ; or pipes. Only with shell=true is "command" a script for /bin/sh (then leave out "args"). Not for interactive programs. Prefer the ' +
    'reading tools (processes, disks, logs …) where they answer the question, and service, package, file and user for changes: those show beforehand what would change, check it afterwards and can be taken back.',
  effect: 'destructive',
  summary:
    'Runs {command}[ {args}][ as a shell script{?shell}][ in {cwd}][ with the input {stdin}], for at most {deadline_s} s',
  deadline_ms: (DEADLINE_MAX_S + 20) * 1000,
  input: z.strictObject({
    command: z.string().min(1).max(32_000).describe('Program name or path; with shell=true the whole script'),
    args: z.array(z.string().max(32_000)).max(1000).optional().describe('Arguments, one item each'),
    shell: z.boolean().default(false).describe('Run "command" as a script of /bin/sh'),
    cwd: z.string().min(1).max(4000).optional().describe("Directory to run in; the service's own unless given"),
    stdin: z.string().max(1_000_000).optional().describe('Text for its standard input, which is empty otherwise'),
    deadline_s: z
      .int()
      .min(1)
      .max(DEADLINE_MAX_S)
      .default(60)
      .describe('Seconds after which it is stopped with all it started'),
  }),
  async run({ command, args: given, shell, cwd, stdin, deadline_s }, { machine, signal, progress, tool_call_id }) {
    if (shell && given !== undefined && given.length > 0)
      throw new Error('With shell=true the script stands in "command" alone; leave out "args".')
    if ([command, cwd ?? '', ...(given ?? [])].some((text) => text.includes('\0')))
      throw new Error('A NUL character cannot be part of a command.')
    if (shell && (await machine.facts(signal)).system === 'Windows_NT')
      throw new Error('There is no /bin/sh on Windows.')
    const argv = shell ? (['/bin/sh', '-c', command] as const) : await wordsOf(machine, command, given, signal)
    const end = await machine.run(
      {
        argv,
        cwd,
        stdin,
        deadline_ms: deadline_s * 1000,
        max_bytes: OUTPUT_LIMIT,
        tool_call_id,
        onOutput: (text) => {
          const line = stripVTControlCharacters(text).trim().split('\n').at(-1) ?? ''
          if (line !== '') progress(line.slice(0, 200))
        },
      },
      signal,
    )
    if (end.kind === 'lost') throw lossOf(end)
    if (end.kind === 'refused') throw new Error(startProblem(argv[0], end))
    const text = describe(end, deadline_s)
    if (end.stopped === 'cancelled') throw new Error(text)
    const { kind: _kind, cut, ...data } = end
    return {
      text,
      data: { ...data, stdout_cut: cut.stdout, stderr_cut: cut.stderr },
      failed: end.exit_code !== 0 || end.stopped !== null,
    }
  },
})

/** Without `args`, a whole command line is split into words, unless it is the path of a program. */
async function wordsOf(
  machine: Machine,
  command: string,
  args: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<[string, ...string[]]> {
  if (args !== undefined) return [command, ...args]
  if (!/\s/.test(command)) return [command]
  if (command.startsWith('/')) {
    const file = (await machine.readFiles([command], { max: 1 }, signal)).get(command) ?? 'missing'
    // One that may be run need not be one that may be read.
    if (typeof file !== 'string' || file === 'denied') return [command]
  }
  return commandWords(command) ?? [command]
}

function describe(result: CommandEnd, deadline_s: number): string {
  const end = result.exit_code === null ? `Ended by ${result.signal ?? 'a signal'}` : `Exit code ${result.exit_code}`
  const lines = [`${end} after ${result.duration_ms} ms.`]
  if (result.stopped === 'deadline')
    lines.push(`It was stopped at its deadline of ${deadline_s} s, with all it had started.`)
  if (result.stopped === 'cancelled') lines.push('It was stopped, with all it had started.')
  if (result.background) lines.push('Something that it started still runs in the background.')
  for (const name of ['stdout', 'stderr'] as const) {
    const shown = cutMiddle(stripVTControlCharacters(result[name]), SHOWN)
    lines.push(shown === '' ? `${name}: empty` : `${name}:\n${shown}`)
  }
  return lines.join('\n')
}

function startProblem(command: string, { why, detail }: CommandRefusal): string {
  if (why === 'no_directory') return `There is no directory ${detail}.`
  if (why === 'no_program')
    return /\s/.test(command)
      ? `There is no program "${command}" on this machine. Pipes, redirections and variables need a shell: set shell=true.`
      : `There is no program "${command}" on this machine.`
  if (why === 'denied') return `"${command}" is not a program that the service's user may run.`
  if (why === 'too_long') return 'The arguments are too long for the system.'
  return `"${command}" could not be started: ${detail}.`
}
