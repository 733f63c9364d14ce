import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inflate } from '@sparticuz/chromium'

export interface BrowserProgram {
  executablePath: string
  env: NodeJS.ProcessEnv
}

/** The program, its software renderer (which must lie beside it), fonts, and the libraries that slim systems lack. */
const PARTS = ['chromium.br', 'swiftshader.tar.br', 'fonts.tar.br', 'al2023.tar.br']

/** `@sparticuz/chromium`'s folder with what it brings, and the version that names our copy of it. */
function packageFolder(): { bin: string; version: string } {
  const folder = join(dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))), '..')
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }
  return { bin: join(folder, 'bin'), version }
}

/**
 * Unpacks the browser, once for this user and version. The package's own way takes any file called `chromium` in the
 * temporary folder for its own, even one that another test process is still writing; so we unpack aside and rename.
 */
async function unpack(): Promise<string> {
  const { bin, version } = packageFolder()
  const target = join(tmpdir(), `reeve-chromium-${version}-${process.getuid?.() ?? 0}`)
  if (existsSync(target)) return target
  const aside = mkdtempSync(`${target}-`)
  const before = process.env.TMPDIR
  process.env.TMPDIR = aside
  try {
    for (const part of PARTS) await inflate(join(bin, part))
  } finally {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  }
  try {
    renameSync(aside, target)
  } catch (error) {
    rmSync(aside, { recursive: true, force: true })
    // Another process was faster: its copy is as good.
    if (!existsSync(target)) throw error
  }
  return target
}

/** The browser inside the package, with its libraries and fonts where this machine has none of its own. */
export async function packagedBrowser(): Promise<BrowserProgram> {
  const folder = await unpack()
  const executablePath = join(folder, 'chromium')
  const env: NodeJS.ProcessEnv = { ...process.env }
  if (spawnSync(executablePath, ['--version']).status !== 0) env.LD_LIBRARY_PATH = join(folder, 'al2023/lib')
  if (!existsSync('/usr/share/fonts')) {
    const dirs = `<dir>${join(folder, 'fonts')}</dir><cachedir>${join(folder, 'fonts-cache')}</cachedir>`
    writeFileSync(join(folder, 'fonts.conf'), `<?xml version="1.0"?><fontconfig>${dirs}</fontconfig>\n`)
    env.FONTCONFIG_FILE = join(folder, 'fonts.conf')
  }
  return { executablePath, env }
}
