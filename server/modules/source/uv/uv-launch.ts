import { say } from '../../../kernel/sentence.ts'
import { onlyInBundle } from '../../bundle/archive/inside-bundle.ts'
import type { LaunchTemplate } from '../../bundle/manifest/launch-template.ts'
import { shownText } from '../../bundle/manifest/shown-text.ts'
import { SourceError } from '../source-error.ts'

/** What `uv run` would start, with the arguments that follow. */
export interface UvLaunch {
  /** `file`: of the bundle, by its path in it. `program`: a script of the project or of a package, by its name. */
  readonly kind: 'file' | 'module' | 'program'
  readonly name: string
  readonly args: readonly string[]
  readonly extras: readonly string[]
  /** Whether it is started in the bundle's folder. */
  readonly inside: boolean
}

/** What makes no difference once the packages are there. */
const FLAGS = new Set(
  `
  --frozen --locked --no-sync --no-dev --exact --isolated --offline --no-editable --quiet -q --verbose -v --no-progress
  --no-cache -n --no-config --managed-python --no-managed-python --no-python-downloads --
`
    .trim()
    .split(/\s+/),
)
const VALUED = new Set(['--python', '-p', '--color', '--cache-dir', '--link-mode'])
const PYTHON = /^python(?:3(?:\.\d+)?)?$/
const PYTHON_FLAGS = /^-[uBEsISO]+$/

/** Reads the command of a `uv` bundle. @throws {SourceError} for one that only `uv` itself could run */
export function uvLaunch({ command, args }: LaunchTemplate, files: Readonly<Record<string, string>>): UvLaunch {
  const words = [...args]
  const extras: string[] = []
  let inside = false
  const refused = (word: string) =>
    new SourceError(
      'source_refused',
      say`Only uv itself could start it as its manifest says, because of “${shownText(word)}”.`,
    )
  const next = (option: string): string => {
    const value = words.shift()
    if (value === undefined) throw refused(option)
    return value
  }

  function options(): string | null {
    while (words[0]?.startsWith('-') === true) {
      const [, option = '', joined] = /^(--?[^=]*)(?:=(.*))?$/s.exec(words.shift()!) ?? []
      if (joined !== undefined) words.unshift(joined)
      if (FLAGS.has(option) && joined === undefined) continue
      const value = next(option)
      if (option === '-m' || option === '--module') return value
      if (option === '--extra') extras.push(value)
      else if (option === '--directory' || option === '--project') {
        if (!/^(?:\$\{__dirname\}(?:\/|\$\{\/\})?|\.\/?)$/.test(value)) throw refused(`${option} ${value}`)
        inside ||= option === '--directory'
      } else if (!VALUED.has(option)) throw refused(option)
    }
    return null
  }
  function file(path: string): UvLaunch {
    const plain = path.replaceAll('${/}', '/').replace(/^(?:\$\{__dirname\}\/|\.\/)/, '')
    if (!onlyInBundle(`\${__dirname}/${plain}`) || !Object.hasOwn(files, plain))
      throw new SourceError('source_refused', say`The bundle has no file ${shownText(plain)}, which it would start.`)
    return { kind: 'file', name: plain, args: words, extras, inside }
  }
  function module(name: string): UvLaunch {
    if (!/^[A-Za-z_][\w.]*$/.test(name)) throw refused(name)
    return { kind: 'module', name, args: words, extras, inside }
  }
  function python(): UvLaunch {
    while (PYTHON_FLAGS.test(words[0] ?? '')) words.shift()
    const word = next('python')
    if (word === '-m') return module(next('-m'))
    if (word.startsWith('-')) throw refused(word)
    return file(word)
  }

  if (PYTHON.test(command)) return python()
  if (command !== 'uv') throw refused(command)
  const early = options()
  const verb = next('uv')
  if (early !== null || verb !== 'run') throw refused(verb)
  const named = options()
  if (named !== null) return module(named)
  const word = next('uv run')
  if (PYTHON.test(word)) return python()
  if (word.endsWith('.py')) return file(word)
  if (!/^[\w.-]+$/.test(word)) throw refused(word)
  return { kind: 'program', name: word, args: words, extras, inside }
}
