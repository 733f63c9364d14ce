import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { startTestApp, type TestApp } from '../stage/app.ts'
import { openBrowser } from '../stage/browser.ts'
import { PNG } from '../stage/modules/module-bundles.ts'
import { openDragging, pasteFile } from './files-drop.ts'
import { messageBox, openVisitor, say, type Visitor } from './visitor.ts'

const MIB = 1024 * 1024
const text = (name: string, content = `The file ${name}.\n`) => ({
  name,
  mimeType: 'text/plain',
  buffer: Buffer.from(content),
})

describe('uploads: dropped, pasted, watched, stopped, refused', () => {
  const opened = new AsyncDisposableStack()
  let app: TestApp
  let browser: Browser
  let visitor: Visitor
  let page: Page

  beforeAll(async () => {
    app = opened.use(await startTestApp({ env: { REEVE_MAX_FILE: '4.5MiB' } }))
    await app.as('admin')
    browser = await openBrowser()
    opened.defer(() => browser.close())
    visitor = opened.use(await openVisitor(browser, app.url))
    visitor.expectMessage(/\/api\/auth\/session\b/)
    await visitor.signIn('admin')
    page = visitor.page
    await page.goto('/files')
    await page.getByRole('heading', { name: 'No files yet' }).waitFor()
  })
  afterAll(() => opened.disposeAsync())

  const file = (name: string): Locator => page.getByRole('navigation', { name: 'Files' }).getByRole('link', { name })
  const uploads = (): Locator => page.getByRole('list', { name: 'Uploads' }).getByRole('listitem')
  const attachments = (): Locator => page.getByRole('list', { name: 'Attachments' }).getByRole('listitem')
  async function choose(
    button: Locator,
    ...files: { name: string; mimeType: string; buffer: Buffer }[]
  ): Promise<void> {
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), button.click()])
    await chooser.setFiles(files)
  }
  const upload = (...files: { name: string; mimeType: string; buffer: Buffer }[]): Promise<void> =>
    choose(page.getByRole('button', { name: 'Upload files' }).first(), ...files)
  /** A line of so many bytes a second away from the browser; -1 is a fast one. */
  async function line(uploadThroughput: number): Promise<void> {
    const session = await visitor.context.newCDPSession(page)
    await session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput,
    })
    opened.defer(() => session.detach().catch(() => undefined))
  }
  async function stored(): Promise<string[]> {
    const admin = await app.as('admin')
    return (await admin.call(contract.files.list)).items.map(({ name }) => name)
  }

  test('what is too large is refused before it is sent', async () => {
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/api/files')) sent.push(request.url())
    })
    await upload({ name: 'large.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(5 * MIB) })
    await uploads()
      .filter({ hasText: /Files can be up to 4\.5.MiB\./ })
      .waitFor()
    expect(sent).toEqual([])
    await uploads().getByRole('button').last().click()
    await expect.poll(() => uploads().count()).toBe(0)
  })

  test('files held over the page are asked for, and dropped anywhere; a folder is refused in words', async () => {
    await using dragging = await openDragging(page)
    const invitation = page.getByText('Drop to upload')
    await dragging.over({ 'changed my mind.txt': Buffer.from('no') })
    await invitation.waitFor()
    await visitor.expectAccessible()
    await dragging.leave()
    await invitation.waitFor({ state: 'detached' })
    await dragging.over({ 'dropped.txt': Buffer.from('I fell.'), 'a folder': null })
    await dragging.drop()
    await file('dropped.txt').waitFor()
    await page.getByText('Folders cannot be uploaded. Open them and choose the files inside.').waitFor()
    expect(await stored()).toEqual(['dropped.txt'])
    expect(await invitation.count()).toBe(0)
  })

  test('a drop on the viewer of a file does not open it there', async () => {
    await using dragging = await openDragging(page)
    await file('dropped.txt').click()
    await page.getByText('I fell.').waitFor()
    await dragging.over({ 'second.txt': Buffer.from('So did I.') })
    await dragging.drop()
    await file('second.txt').waitFor()
    expect(await page.getByText('I fell.').count()).toBe(1)
  })

  test('a picture is pasted', async () => {
    await pasteFile(page, 'screenshot.png', 'image/png', PNG)
    await file('screenshot.png').waitFor()
    expect(await stored()).toContain('screenshot.png')
  })

  test('a few go at a time, each shows how far it is, and a stopped one leaves nothing', async () => {
    await line(100_000)
    const big = { mimeType: 'application/octet-stream', buffer: Buffer.alloc(3 * MIB, 1) }
    await upload(...['one.bin', 'two.bin', 'three.bin', 'four.bin', 'five.bin'].map((name) => ({ name, ...big })))
    await expect.poll(() => uploads().count()).toBe(5)
    await expect.poll(() => uploads().filter({ hasText: 'Waiting' }).count()).toBe(2)
    await expect.poll(() => uploads().first().getByRole('progressbar').getAttribute('aria-valuenow')).not.toBe('0')
    await visitor.expectAccessible()
    // The page works as ever, with three uploads on the line.
    await page.getByRole('searchbox', { name: 'Search files' }).fill('dropped')
    await file('second.txt').waitFor({ state: 'detached' })
    await page.getByRole('searchbox', { name: 'Search files' }).fill('')
    for (const name of ['two.bin', 'four.bin', 'one.bin', 'three.bin', 'five.bin'])
      await page.getByRole('button', { name: `Cancel the upload of ${name}` }).click()
    await uploads().first().waitFor({ state: 'detached' })
    await line(-1)
    // What comes after them is not held up by them.
    await upload(text('after.txt'))
    await file('after.txt').waitFor()
    expect((await stored()).toSorted()).toEqual(['after.txt', 'dropped.txt', 'screenshot.png', 'second.txt'])
    const admin = await app.as('admin')
    expect((await admin.call(contract.files.list)).usage.bytes).toBeLessThan(MIB)
  })

  test('without a connection it says so, and goes on a click', async () => {
    visitor.expectMessage(/ERR_INTERNET_DISCONNECTED|ERR_CONNECTION|ERR_NETWORK/)
    await page.route('**/api/files', (route) => route.abort('internetdisconnected'), { times: 1 })
    await upload(text('later.txt'))
    await uploads().getByText('The server cannot be reached. Check the connection and try again.').waitFor()
    await visitor.expectAccessible()
    await uploads().getByRole('button', { name: 'Try again' }).click()
    await file('later.txt').waitFor()
    expect(await uploads().count()).toBe(0)
  })

  test('what the server refuses is shown with the reason, and can only be put away', async () => {
    visitor.expectMessage(/\/api\/files\b/)
    const long = `${'long '.repeat(60)}.txt`
    await upload(text(long))
    const refusal = uploads().filter({ hasText: long })
    await refusal.getByRole('alert').waitFor()
    expect(await refusal.getByRole('alert').innerText()).toMatch(/name/)
    expect(await refusal.getByRole('button', { name: 'Try again' }).count()).toBe(0)
    await page.setViewportSize({ width: 360, height: 780 })
    await page.getByRole('button', { name: 'Back', exact: true }).click()
    await visitor.expectAccessible()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
    await page.getByRole('button', { name: `Dismiss ${long}` }).click()
    await refusal.waitFor({ state: 'detached' })
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  test('in the chat: dropped and pasted, stopped, sent with the message, small pictures that open', async () => {
    await page.getByRole('link', { name: 'Chat', exact: true }).first().click()
    await messageBox(page).waitFor()
    await using dragging = await openDragging(page)
    await dragging.over({ 'report.csv': Buffer.from('month,sum\n2026-01,12\n2026-02,15\n') })
    // The box that was there first may give way to that of the conversation.
    await expect
      .poll(async () => {
        await dragging.stay()
        return page.getByPlaceholder('Drop files here').isVisible()
      })
      .toBe(true)
    await dragging.drop()
    await page.getByRole('button', { name: 'Remove report.csv' }).waitFor()
    await messageBox(page).focus()
    await pasteFile(page, 'harbour.png', 'image/png', PNG)
    await page.getByRole('button', { name: 'Remove harbour.png' }).waitFor()
    await line(100_000)
    await choose(page.getByRole('button', { name: 'Attach files' }), {
      name: 'slow.bin',
      mimeType: '',
      buffer: Buffer.alloc(2 * MIB),
    })
    await page.getByRole('progressbar', { name: 'Uploading slow.bin' }).waitFor()
    await visitor.expectAccessible()
    await page.getByRole('button', { name: 'Cancel the upload of slow.bin' }).click()
    await line(-1)
    await expect.poll(() => attachments().count()).toBe(2)
    await say(page, 'Keep these, please.')
    const message = page.getByRole('article', { name: 'Your message' }).or(page.getByRole('main'))
    const picture = message.getByRole('img', { name: 'harbour.png' })
    await picture.waitFor()
    expect(await picture.getAttribute('src')).toContain('width=')
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)
    await page.getByRole('button', { name: 'Open as table' }).click()
    await page.getByRole('grid', { name: 'report.csv' }).getByRole('gridcell', { name: '2026-02' }).waitFor()
    await visitor.expectAccessible()
    await picture.click()
    await page.getByRole('heading', { name: 'harbour.png' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/files')
    expect(await stored()).not.toContain('slow.bin')
  })

  test('an upload goes on when the page is left, and the file waits in the message', async () => {
    await page.goto('/chat?new=true')
    await messageBox(page).waitFor()
    const held = Promise.withResolvers<void>()
    await page.route(
      '**/api/files',
      async (route) => {
        await held.promise
        await route.continue()
      },
      { times: 1 },
    )
    await choose(page.getByRole('button', { name: 'Attach files' }), text('patient.txt'))
    await page.getByRole('progressbar', { name: 'Uploading patient.txt' }).waitFor()
    await page.getByRole('link', { name: 'Dashboard' }).click()
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor()
    held.resolve()
    await expect.poll(stored).toContain('patient.txt')
    await page.getByRole('link', { name: 'Chat', exact: true }).first().click()
    await page.getByRole('button', { name: 'New conversation' }).first().click()
    await page.getByRole('button', { name: 'Remove patient.txt' }).click()
    await attachments().first().waitFor({ state: 'detached' })
  })

  test('closing the window while a file is on its way is asked about', async () => {
    await page.goto('/files')
    await page.route('**/api/files', () => undefined)
    await upload(text('unsaved.txt'))
    await uploads().first().waitFor()
    const asked = page.waitForEvent('dialog')
    await page.close({ runBeforeUnload: true })
    const dialog = await asked
    expect(dialog.type()).toBe('beforeunload')
    await dialog.dismiss()
    await page.getByRole('button', { name: 'Cancel the upload of unsaved.txt' }).click()
    await uploads().first().waitFor({ state: 'detached' })
  })

  test('the keyboard leads to the files and the modules, and the map says how', async () => {
    await page.unrouteAll()
    await page.goto('/')
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('f')
    await file('after.txt').waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('m')
    await page.getByRole('heading', { name: 'Modules', level: 1 }).waitFor()
    await page.keyboard.press('?')
    const map = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    expect(await map.innerText()).toContain('Go to files')
    expect(await map.innerText()).toContain('Go to modules')
    await visitor.expectAccessible()
  })
})
