import { createInterface } from 'node:readline'
import { resolve } from 'node:path'
import { Writable } from 'node:stream'
import process from 'node:process'
import type { Progress } from '../operation/backup/backup-source.ts'

/** Milliseconds between two progress lines. */
const PROGRESS_MS = 500

/** The user's terminal, or a script: results go to standard output, everything else to standard error. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Resolves a path as typed, relative to where the command was started. */
  path(typed: string): string
  /** Prints a line that isn't part of the result. */
  note(text: string): void
  /** Reads a line without showing it: without echo from a keyboard, else the first line of standard input. */
  askSecret(question: string): Promise<string>
  readonly progress: Progress
}

export function openTerminal(env: Terminal['env'], folder: string): Terminal {
  const note = (text: string): void => void process.stderr.write(`${text}\n`)
  let told = 0
  return {
    env,
    path: (typed) => resolve(folder, typed),
    note,
    askSecret,
    progress: ({ doing, done, of }) => {
      if (performance.now() - told < PROGRESS_MS) return
      told = performance.now()
      note(of === null ? `${doing} …` : `${doing} … ${done} of ${of}`)
    },
  }
}

async function askSecret(question: string): Promise<string> {
  const { stdin, stderr } = process
  if (stdin.isTTY) stderr.write(`${question}: `)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: stdin, output: silent, terminal: stdin.isTTY })
  try {
    const { value } = (await lines[Symbol.asyncIterator]().next()) as { value?: string }
    return value ?? ''
  } finally {
    lines.close()
    if (stdin.isTTY) stderr.write('\n')
  }
}
