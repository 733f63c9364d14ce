import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, readlinkSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { FileRead, Machine, MachineFacts, Outcome, ReadProblem, Space } from '../../../server/modules/machines.ts'

/** A machine as files: by path, or as a link where the text begins with `-> `. */
export interface MachineFiles {
  readonly facts: MachineFacts
  readonly files: Readonly<Record<string, string>>
  /** What its programs print, by their names. */
  readonly programs?: Readonly<Record<string, string>>
  readonly spaces?: Readonly<Record<string, Space>>
  readonly addresses?: Readonly<Record<string, readonly string[]>>
}

/** What tests know of a machine: how often it was asked, and for what. */
export interface RootedMachine extends Machine {
  readonly asked: string[]
}

/** Another machine than this one: its files are below `root`, and so are its programs, which print what was recorded. */
export function rootedMachine(id: string, root: string, machine: MachineFiles): RootedMachine {
  for (const [path, content] of Object.entries(machine.files)) place(join(root, path), content)
  for (const [name, output] of Object.entries(machine.programs ?? {})) {
    place(join(root, `recorded/${name}`), output)
    place(join(root, `programs/${name}`), `cat '${root}/recorded/${name}'\n`)
  }
  const asked: string[] = []
  const read = (path: string, max: number, tail: boolean): FileRead => {
    try {
      const bytes = readFileSync(join(root, path))
      return { bytes: tail ? bytes.subarray(-max) : bytes.subarray(0, max), cut: bytes.length > max }
    } catch (error) {
      return problem(error)
    }
  }
  return {
    id,
    name: id,
    asked,
    facts: () => Promise.resolve(machine.facts),
    readFiles(paths, { max, tail = false, within = '' }) {
      asked.push('readFiles')
      return Promise.resolve(new Map(paths.map((path) => [path, read(join(within, path), max, tail)])))
    },
    readEach(parent, { numbers = false, files, links, max }) {
      asked.push('readEach')
      const names = namesIn(join(root, parent)).filter((name) => !numbers || /^\d+$/.test(name))
      return Promise.resolve(
        names.map((name) => ({
          name,
          files: Object.fromEntries(
            files.flatMap((file) => {
              const found = read(join(parent, name, file), max, false)
              return typeof found === 'string' ? [] : [[file, found.bytes.toString()]]
            }),
          ),
          links:
            links === undefined
              ? []
              : namesIn(join(root, parent, name, links)).map((link) =>
                  readlinkSync(join(root, parent, name, links, link)),
                ),
        })),
      )
    },
    listDir(path, { max, deep = false }) {
      asked.push('listDir')
      if (namesIn(join(root, path)).length === 0) return Promise.resolve('missing')
      const entries = readdirSync(join(root, path), { recursive: deep, withFileTypes: true })
      return Promise.resolve(
        entries.slice(0, max).map((entry) => ({
          name: join(entry.parentPath, entry.name).slice(join(root, path).length + 1),
          kind: entry.isFile() ? ('file' as const) : ('directory' as const),
        })),
      )
    },
    space(paths) {
      asked.push('space')
      const known = Object.entries(machine.spaces ?? {})
      return Promise.resolve(new Map(known.filter(([path]) => paths.includes(path))))
    },
    addresses: () => Promise.resolve(new Map(Object.entries(machine.addresses ?? {}))),
    async run({ argv: [first, ...rest], stdin, max_bytes }) {
      const words =
        first === 'env' ? rest.filter((word) => !word.includes('=') || word.startsWith('-')) : [first, ...rest]
      asked.push([first, ...rest].join(' '))
      return await record(join(root, `programs/${words[0]}`), words.slice(1), String(stdin ?? ''), max_bytes)
    },
    write: () => Promise.reject(new Error('Nothing is written to it.')),
    operate: () => Promise.resolve({ kind: 'missing', text: 'A tree of files has no reeve-op.' }),
    plan: () => Promise.resolve({ kind: 'missing', text: 'A tree of files has no reeve-op.' }),
    operationStatus: () => Promise.resolve({ kind: 'missing', text: 'A tree of files has no reeve-op.' }),
  }
}

async function record(program: string, args: readonly string[], stdin: string, max: number): Promise<Outcome> {
  if (statSync(program, { throwIfNoEntry: false }) === undefined)
    return { kind: 'refused', why: 'no_program', detail: 'ENOENT' }
  const child = spawn('/bin/sh', [program, ...args])
  child.stdin.on('error', () => undefined)
  child.stdin.end(stdin)
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const [stdout, stderr, exit_code] = await Promise.all([text(child.stdout), text(child.stderr), exit])
  const rest = { signal: null, duration_ms: 1, stopped: null, background: false }
  return { kind: 'ended', exit_code, stdout: stdout.slice(0, max), stderr, cut: { stdout: 0, stderr: 0 }, ...rest }
}

function place(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true })
  if (content.startsWith('-> ')) symlinkSync(content.slice(3), path)
  else writeFileSync(path, content)
}

function namesIn(folder: string): string[] {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true ? readdirSync(folder) : []
}

function problem(error: unknown): ReadProblem {
  return (error as NodeJS.ErrnoException).code === 'EISDIR' ? 'not_file' : 'missing'
}
