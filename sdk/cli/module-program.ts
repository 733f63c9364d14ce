import process from 'node:process'
import { parseArgs } from 'node:util'
import { IsolationLevel } from '../../contract/modules.ts'
import { quoted } from '../../server/kernel/sentence.ts'
import { BundleError } from '../../server/modules/bundle/bundle-error.ts'
import { packFolder } from '../../server/modules/bundle/archive/pack-folder.ts'
import { init } from './init.ts'
import { describeInspection, inspect } from './inspect.ts'
import { run } from './run.ts'
import { test } from './test.ts'
import { UsageError } from './usage-error.ts'
import { validate } from './validate.ts'
import { wrap } from './wrap.ts'

const usage = (program: string): string => `${program} <command>

  init <folder> --template minimal-js|javascript|python|typescript [--name "…"] [--description "…"] [--author "…"]
  init <folder> --wrap <package or folder>  a module around an MCP server that is installed here; fetches and starts nothing
  validate <folder or bundle> [--json]      what is wrong with it; starts nothing
  pack <folder> [-o <bundle>]               makes the bundle; the same folder gives the same bytes
  inspect <folder or bundle> [--json]       what an administrator sees before enabling it
  run <folder or bundle> [--set key=value]… [--tool <name> --arguments '<json>']
  test <folder or bundle> [--json] [--isolation isolated|restricted|guarded|process]

AGENTS.md says how a module is written.`

const OPTIONS = {
  template: { type: 'string' },
  wrap: { type: 'string' },
  name: { type: 'string' },
  description: { type: 'string' },
  author: { type: 'string' },
  output: { type: 'string', short: 'o' },
  json: { type: 'boolean', default: false },
  set: { type: 'string', multiple: true },
  tool: { type: 'string' },
  arguments: { type: 'string', default: '{}' },
  isolation: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true, strict: true })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

/** How it was called, and the folder with the kit's templates. */
export interface Called {
  readonly program: string
  readonly kit: string
}

/** Runs one of the kit's commands and reports errors. Resolves with the exit code. */
export async function moduleProgram(args: readonly string[], called: Called): Promise<number> {
  try {
    return await command(args, called)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    const typed = error instanceof UsageError
    if (!typed && !(error instanceof BundleError) && process.env['DEBUG'])
      process.stderr.write(`${(error as Error).stack}\n`)
    return typed ? 2 : 1
  }
}

/** Runs one command of the kit. Resolves with the exit code: 0 success, 1 a fault in the module, 2 a usage error. */
async function command(args: readonly string[], { program, kit }: Called): Promise<number> {
  const { values, positionals } = parse(args)
  const [name, path, ...more] = positionals
  if (values.help || name === undefined) {
    print(usage(program))
    return name === undefined && !values.help ? 2 : 0
  }
  if (path === undefined || more.length > 0) throw new UsageError(`Name one folder or bundle: ${name} <path>.`)
  switch (name) {
    case 'init': {
      const { template = 'minimal-js', wrap: wrapped, name: display, description, author } = values
      if (wrapped !== undefined && values.template !== undefined)
        throw new UsageError('Name a template, or what is wrapped, but not both.')
      const about = { name: display, description, author }
      const written =
        wrapped === undefined ? await init(kit, path, { template, ...about }) : await wrap(wrapped, path, about)
      print(`Written to ${path}:\n${written.map((each) => `  ${each}`).join('\n')}`)
      return 0
    }
    case 'validate': {
      const found = await validate(path)
      const lines = found.findings.map(
        ({ level, code, path: where, message }) => `${level} ${code} ${where}: ${message}`,
      )
      const end = found.ok ? `It can be installed. Grade: ${found.grade}.` : 'It cannot be installed as it is.'
      print(values.json ? JSON.stringify(found, null, 2) : [...lines, end].join('\n'))
      return found.ok ? 0 : 1
    }
    case 'pack': {
      const found = await validate(path)
      const errors = found.findings.filter(({ level }) => level === 'error')
      if (errors.length > 0)
        throw new BundleError(
          'bad_manifest',
          quoted(errors.map(({ code, message }) => `${code}: ${message}`).join('\n')),
        )
      const output = values.output ?? `${path.replace(/\/+$/, '')}.mcpb`
      const packed = await packFolder(path, output)
      print(`${output}: ${packed.files.length} files, ${packed.size} bytes, SHA-256 ${packed.digest}`)
      return 0
    }
    case 'inspect': {
      const found = await inspect(path)
      print(values.json ? JSON.stringify(found, null, 2) : describeInspection(found))
      return 0
    }
    case 'run':
      return run(path, { set: values.set ?? [], tool: values.tool, arguments: values.arguments })
    case 'test': {
      const report = await test(path, values.isolation === undefined ? null : isolationLevel(values.isolation))
      const lines = report.checks.map(({ ok, name: what, message }) => `${ok ? 'ok  ' : 'FAIL'} ${what}: ${message}`)
      print(values.json ? JSON.stringify(report, null, 2) : [...lines, `Isolation: ${report.isolation}`].join('\n'))
      return report.ok ? 0 : 1
    }
    default:
      throw new UsageError(`There is no command ${name}.\n\n${usage(program)}`)
  }
}

function isolationLevel(text: string): IsolationLevel {
  const parsed = IsolationLevel.safeParse(text)
  if (parsed.success) return parsed.data
  throw new UsageError(`There is no isolation ${text}. There are ${IsolationLevel.options.join(', ')}.`)
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
