import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type Axe from 'axe-core'
import { chromium, type Browser, type Frame, type Page } from 'playwright-core'
import sharp from 'sharp'
import { packagedBrowser } from './packaged-browser.ts'

const SHOWN = join(import.meta.dirname, '../../docs/screenshots')
const OTHERS = join(import.meta.dirname, '../../test-results/screenshots')
const INSTALLED = [
  // Chromium without what only a window needs: it takes a fifth less of the time.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
]
/** Quiet (a test browser calls nobody), and startable as root in a container. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Text then has the same widths on every machine.
  '--font-render-hinting=none',
]

function installedProgram(): string | undefined {
  return INSTALLED.find((path) => {
    try {
      accessSync(path, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

export interface BrowserOptions {
  /** The home folder of the person at it, where that matters: it has the certificates that they trust. */
  readonly home?: string
  /** With the scroll bars of a window, which a browser without one hides. */
  readonly scrollbars?: boolean
}

/**
 * A real Chromium without a window: the system's, else the packaged one (also with REEVE_TEST_BROWSER=packaged). Close it
 * when done.
 */
export async function openBrowser({ home, scrollbars = false }: BrowserOptions = {}): Promise<Browser> {
  const installed = process.env.REEVE_TEST_BROWSER === 'packaged' ? undefined : installedProgram()
  const own = home === undefined ? {} : { HOME: home }
  const bars = scrollbars ? { ignoreDefaultArgs: ['--hide-scrollbars'] } : {}
  if (installed !== undefined) {
    const env = { ...process.env, ...own }
    return chromium.launch({ executablePath: installed, env, args: FLAGS, ...bars, timeout: 60_000 })
  }
  const program = await packagedBrowser()
  // It is only the headless shell, without the helper programs that sandbox and zygote need.
  const env = { ...program.env, ...own }
  return chromium.launch({
    ...program,
    env,
    args: [...FLAGS, '--no-zygote', '--in-process-gpu'],
    ...bars,
    timeout: 60_000,
  })
}

/**
 * Takes a picture with REEVE_SCREENSHOTS=1, else nothing. One that a document shows is replaced in `docs/screenshots`; the
 * others are for looking at, in `test-results/screenshots`.
 */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (process.env.REEVE_SCREENSHOTS !== '1') return
  const picture = await page.screenshot({ animations: 'disabled' })
  const shown = join(SHOWN, `${name}.png`)
  const path = existsSync(shown) ? shown : join(OTHERS, `${name}.png`)
  await mkdir(dirname(path), { recursive: true })
  // A palette: a third of the bytes, and no eye sees it on pages of few colours.
  await sharp(picture).png({ palette: true, quality: 95, effort: 8 }).toFile(path)
}

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
declare const axe: typeof Axe

/** Puts axe into a document, once: it is read and compiled for longer than it takes to look at most pages. */
async function bringAxe(frame: Frame): Promise<void> {
  if (!(await frame.evaluate(() => 'axe' in globalThis))) await frame.evaluate(AXE)
}

/** What axe finds serious or critical on the page, one line each: rule, number of places, the first place. */
export async function axeSerious(page: Page): Promise<string[]> {
  await bringAxe(page.mainFrame())
  // A frame may be gone by now, or let nobody in.
  for (const frame of page.frames().slice(1)) await bringAxe(frame).catch(() => undefined)
  return page.evaluate(async () => {
    const { violations } = await axe.run({ resultTypes: ['violations'] })
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, help, nodes }) => `${id}: ${help} (${nodes.length}×, e.g. ${String(nodes[0]?.target[0] ?? '')})`)
  })
}
