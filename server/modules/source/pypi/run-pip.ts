import { once } from 'node:events'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { say } from '../../../kernel/sentence.ts'
import { jsonValue } from '../../../kernel/text/json-value.ts'
import { shieldedSpawn } from '../../../sandbox/shielded-spawn.ts'
import { shownText } from '../../bundle/manifest/shown-text.ts'
import { PACK_LIMITS, tooMuch } from '../pack-limits.ts'
import { SourceError } from '../source-error.ts'

/**
 * What runs before pip. pip reads what strangers wrote: it may start no program (no build, no git) and connect to nothing but
 * the index that it is given, whatever a package names as its dependency; and it has limits of its own.
 */
const GUARD = `
import sys
port = int(sys.argv.pop(1))
import resource
for what, most in ((resource.RLIMIT_AS, 4 << 30), (resource.RLIMIT_FSIZE, 1 << 30), (resource.RLIMIT_CPU, 600)):
    hard = resource.getrlimit(what)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(what, (most, most))
starts = {'subprocess.Popen', 'os.system', 'os.exec', 'os.posix_spawn', 'os.spawn', 'os.fork', 'os.forkpty', 'pty.spawn'}
def guard(event, args):
    if event in starts:
        raise PermissionError('nothing is started here')
    if event == 'socket.connect' and tuple(args[1][:2]) != ('127.0.0.1', port):
        raise PermissionError('nothing else is connected to here')
    if event == 'socket.getaddrinfo' and args[0] not in ('127.0.0.1', b'127.0.0.1'):
        raise PermissionError('no other name is looked up here')
sys.addaudithook(guard)
import runpy
runpy.run_module('pip', run_name='__main__', alter_sys=True)
`
const ABOUT = `import json, sys, pip; print(json.dumps([list(sys.version_info[:2]), pip.__version__]))`
const FIRST_PIP = 23
const SAID_LIMIT = 64 * 1024
const REPORT_BYTES = 32 * 1024 * 1024

const Report = z.looseObject({
  install: z
    .array(
      z.looseObject({
        download_info: z.looseObject({ url: z.string() }),
        requested: z.boolean().optional(),
        metadata: z.looseObject({
          name: z.string(),
          version: z.string(),
          summary: z.string().optional().catch(undefined),
          author: z.string().optional().catch(undefined),
          license: z.string().optional().catch(undefined),
          home_page: z.string().optional().catch(undefined),
        }),
      }),
    )
    .min(1),
})
export type PipReport = z.output<typeof Report>

/** `3.11`, of the Python that will run what is packed. @throws {SourceError} where it has no pip that can do this */
export async function pythonVersion(python: string | null, folder: string, signal: AbortSignal): Promise<string> {
  const missing = (cause?: unknown) =>
    new SourceError(
      'source_refused',
      say`Packages of Python need python3 and pip ${FIRST_PIP} or newer on this machine: apt install python3 python3-pip.`,
      { cause },
    )
  if (python === null) throw missing()
  const { code, out, said } = await run(python, ['-I', '-c', ABOUT], { folder, env: {}, signal })
  const read = z.tuple([z.tuple([z.int(), z.int()]), z.string()]).safeParse(jsonValue(out))
  if (code !== 0 || !read.success || Number.parseInt(read.data[1], 10) < FIRST_PIP) throw missing(said)
  return read.data[0].join('.')
}

export interface PipOptions {
  readonly python: string
  readonly index: { readonly address: string; readonly port: number }
  /** An existing folder for its temporary files. */
  readonly folder: string
  /** `name==version`, for what may be chosen in that version alone. */
  readonly constraints?: readonly string[] | undefined
  /** Whether only the package itself is looked for. */
  readonly alone: boolean
  readonly signal: AbortSignal
}

/** Which wheels requirements mean on this machine, as pip decides; or what pip says against it. Nothing is installed. */
export async function resolveWithPip(
  requirements: readonly string[],
  options: PipOptions,
): Promise<PipReport | string> {
  const { python, index, folder, constraints = [], alone, signal } = options
  const report = join(folder, 'report.json')
  const args = ['install', '--dry-run', '--ignore-installed', '--only-binary', ':all:', '--report', report, '--quiet']
  if (constraints.length > 0) {
    const file = join(folder, 'constraints.txt')
    await writeFile(file, constraints.join('\n'))
    args.push('--constraint', file)
  }
  // In the environment: other people of this machine read command lines.
  const env = { PIP_INDEX_URL: index.address, PIP_CONFIG_FILE: '/dev/null', PIP_NO_INPUT: '1', PIP_RETRIES: '0' }
  const more = { PIP_NO_CACHE_DIR: '1', PIP_DISABLE_PIP_VERSION_CHECK: '1', PIP_NO_COLOR: '1', PIP_TIMEOUT: '600' }
  const { code, said } = await run(
    python,
    ['-I', '-c', GUARD, String(index.port), ...args, ...(alone ? ['--no-deps'] : []), ...requirements],
    { folder, env: { ...env, ...more }, signal },
  )
  if (code !== 0) return errorsIn(said)
  // It repeats what packages say of themselves, at whatever length.
  if ((await stat(report)).size > REPORT_BYTES) throw tooMuch(PACK_LIMITS)
  const read = Report.safeParse(jsonValue(await readFile(report, 'utf8')))
  return read.success ? read.data : shownText(said, 500)
}

/** The lines of pip that say what is wrong. */
function errorsIn(said: string): string {
  const errors = [...said.matchAll(/^ERROR: (.+)$/gm)].map(([, line]) => line!)
  return shownText(errors.length > 0 ? errors.join(' ') : (said.trim().split('\n').at(-1) ?? ''), 500)
}

/** Runs a program in a folder, with nothing of this process's environment. @throws the reason of the signal */
export async function run(
  program: string,
  args: readonly string[],
  {
    folder,
    env,
    signal,
  }: { readonly folder: string; readonly env: Readonly<Record<string, string>>; readonly signal: AbortSignal },
): Promise<{ code: number | null; out: string; said: string }> {
  signal.throwIfAborted()
  const child = shieldedSpawn(program, args, {
    cwd: folder,
    // Without PATH nothing is found that could be started.
    env: { PATH: '', HOME: folder, TMPDIR: folder, LANG: 'C.UTF-8', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const stop = (): void => void child.kill('SIGKILL')
  signal.addEventListener('abort', stop)
  let [out, said] = ['', '']
  child.stdout!.setEncoding('utf8').on('data', (part: string) => (out = (out + part).slice(-SAID_LIMIT)))
  child.stderr!.setEncoding('utf8').on('data', (part: string) => (said = (said + part).slice(-SAID_LIMIT)))
  try {
    const [code] = (await once(child, 'close')) as [number | null]
    signal.throwIfAborted()
    return { code, out, said }
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
