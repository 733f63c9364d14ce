import type { Browser, Locator, Page } from 'playwright-core'
import { type AppOptions, startTestApp, type TestApp } from '../stage/app.ts'
import { openBrowser } from '../stage/browser.ts'
import { openVisitor, type Visitor } from './visitor.ts'
import { until } from '../stage/wait.ts'

export interface ModulePages extends AsyncDisposable {
  readonly app: TestApp
  readonly browser: Browser
  /** The administrator. */
  readonly visitor: Visitor
  readonly page: Page
  dialog(name: string | RegExp): Locator
  button(name: string | RegExp): Locator
  tab(name: string | RegExp): Locator
  /** A module of the list. */
  row(name: string): Locator
  /** Chooses from the menu of the module's page. */
  menu(item: string): Promise<void>
  /** Drops a file on the page, wherever it is. */
  drop(name: string, bytes: Buffer): Promise<void>
  /** Presses the button that agrees to something, once it is armed. */
  agree(name: string): Promise<void>
}

/** The pages of modules in a browser, with an administrator before it, and what tests do there again and again. */
export async function openModulePages(options: AppOptions = {}): Promise<ModulePages> {
  await using opened = new AsyncDisposableStack()
  const app = opened.use(await startTestApp(options))
  await app.as('admin')
  const browser = await openBrowser()
  opened.defer(() => browser.close())
  const visitor = opened.use(await openVisitor(browser, app.url))
  // Before the sign-in there is no session; a kit is built in or not; the rest is refused on purpose.
  visitor.expectMessage(/\/api\/auth\/session\b|\/api\/modules\/(sdk-ai|install|remote|[a-z-]+\/enable)/)
  await visitor.signIn('admin')
  const { page } = visitor
  const button = (name: string | RegExp): Locator => page.getByRole('button', { name, exact: true })
  const kept = opened.move()
  return {
    app,
    browser,
    visitor,
    page,
    button,
    dialog: (name) => page.getByRole('dialog', { name }),
    tab: (name) => page.getByRole('tab', { name }),
    row: (name) => page.getByRole('listitem').filter({ has: page.getByRole('link', { name }) }),
    async menu(item) {
      await button('More actions for this module').click()
      await page.getByRole('menuitem', { name: item }).click()
    },
    async drop(name, bytes) {
      const dataTransfer = await page.evaluateHandle(
        ([fileName, base64]) => {
          const data = new DataTransfer()
          data.items.add(new File([Uint8Array.from(atob(base64!), (byte) => byte.charCodeAt(0))], fileName!))
          return data
        },
        [name, bytes.toString('base64')],
      )
      // A browser says it again and again while files are held over the page, so one that is still loading hears it later.
      const hint = page.getByText('Drop to install')
      await until(
        async () => {
          await page.dispatchEvent('main', 'dragover', { dataTransfer })
          return hint.isVisible()
        },
        { what: 'the page sees the files' },
      )
      await page.dispatchEvent('main', 'drop', { dataTransfer })
    },
    agree: (name) => button(name).and(page.locator(':enabled')).click(),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}
