/** A package, and which of its programs is started with what. */
export interface Program {
  readonly kind: 'npm' | 'pypi'
  readonly name: string
  readonly range: string | null
  /** The program of the package, where another than its own is asked for. */
  readonly program: string | null
  readonly args: readonly string[]
}

const NPM = /^((?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*)(?:@([^\s@]+))?$/i
/** A Python package with its extras; a version after an @, or a range as pip takes it. */
const PYPI = /^([a-z0-9](?:[\w.-]*[a-z0-9])?(?:\[[\w.,-]+\])?)(?:@([^\s@]+)|((?:[=<>!~]=|[<>]|===)[^\s@]+))?$/i
/** Options of uvx and pipx that change nothing that matters here, and those of them that have a value. */
const HARMLESS = /^(?:-q|-v|--quiet|--verbose|--no-cache|--refresh|--isolated|--native-tls|--python|-p)$/
const VALUED = /^(?:--python|-p)$/

/** `name@range` as npm writes it. */
export function npmPackage(text: string): Program | null {
  const found = NPM.exec(text)
  return found && { kind: 'npm', name: found[1]!, range: found[2] ?? null, program: null, args: [] }
}

/** `name`, `name[extra]`, `name@1.2`, `name>=1,<2`. */
export function pythonPackage(text: string): Program | null {
  const found = PYPI.exec(text)
  return found && { kind: 'pypi', name: found[1]!, range: found[2] ?? found[3] ?? null, program: null, args: [] }
}

/**
 * What a command fetches and starts, if it is one that does that: `npx`, `uvx`, `uv tool run`, `pipx run`. Null for any
 * other, and where an option asks for more than a package.
 */
export function fromRunner(command: string, words: readonly string[]): Program | null {
  const runner = command
    .split(/[\\/]/)
    .at(-1)!
    .replace(/\.(?:cmd|exe)$/i, '')
  const leading = [runner, ...words].join(' ')
  if (runner === 'npx') return fromNpx(words)
  if (runner === 'uvx') return fromUvx(words, '--from')
  if (leading.startsWith('uv tool run ')) return fromUvx(words.slice(2), '--from')
  if (leading.startsWith('pipx run ')) return fromUvx(words.slice(1), '--spec')
  return null
}

/** `-y --package=a b c`: the program b of the package a with the argument c. */
function fromNpx(words: readonly string[]): Program | null {
  let asked: string | null = null
  let at = 0
  for (; at < words.length && words[at]!.startsWith('-'); at++) {
    const [option, value] = words[at]!.split('=', 2)
    if (option === '--package' || option === '-p') asked = value ?? words[++at] ?? null
    else if (option === '--') {
      at++
      break
    }
  }
  return started(npmPackage, { asked, words: words.slice(at) })
}

/** `--from a b c` in the same way; `source` is the option that names the package. */
function fromUvx(words: readonly string[], source: string): Program | null {
  let asked: string | null = null
  let at = 0
  for (; at < words.length && words[at]!.startsWith('-'); at++) {
    const sign = words[at]!.indexOf('=')
    const option = sign === -1 ? words[at]! : words[at]!.slice(0, sign)
    const value = sign === -1 ? null : words[at]!.slice(sign + 1)
    if (option === source) asked = value ?? words[++at] ?? null
    else if (!HARMLESS.test(option)) return null
    else if (VALUED.test(option) && value === null) at++
  }
  return started(pythonPackage, { asked, words: words.slice(at) })
}

function started(
  read: (text: string) => Program | null,
  { asked, words }: { readonly asked: string | null; readonly words: readonly string[] },
): Program | null {
  const [first = '', ...args] = words
  const program = read(asked ?? first)
  return program && { ...program, program: asked === null ? null : first || null, args }
}
