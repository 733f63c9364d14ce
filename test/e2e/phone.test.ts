import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { startTestApp, type TestApp } from '../stage/app.ts'
import { openBrowser } from '../stage/browser.ts'
import { startScriptedModel } from '../stage/servers/scripted-model.ts'
import { lastAnswer, messageBox, openVisitor, PHONE, tabTo, type Visitor } from './visitor.ts'

/** Messages of the long conversation: as many questions as answers. */
const LONG = 200

describe('on a phone, and by keyboard', () => {
  const opened = new AsyncDisposableStack()
  let app: TestApp
  let browser: Browser
  let phone: Visitor
  let long: string | null = null

  beforeAll(async () => {
    const model = opened.use(
      await startScriptedModel((request) => {
        const asked = JSON.stringify(request.messages.findLast(({ role }) => role === 'user')?.content)
        if (request.messages.at(-1)?.role === 'tool') return [{ text: 'This machine is well.' }]
        if (asked.includes('host')) return [{ calls: [{ name: 'system.host', arguments: {} }] }]
        return [
          {
            text: `Answer to ${/question \d+/.exec(asked)?.[0]}. ${'It is long enough to wrap on a phone. '.repeat(3)}`,
          },
        ]
      }),
    )
    app = opened.use(await startTestApp({ model }))
    const admin = await app.as('admin')
    for (let number = 1; number <= LONG / 2; number++) {
      const body = { message: `This is question ${number}`, conversation_id: long }
      long = (await admin.call(contract.chat.send, { body })).body.conversation_id
    }
    browser = await openBrowser()
    opened.defer(() => browser.close())
    phone = opened.use(await openVisitor(browser, app.url, { phone: true, dark: true }))
    phone.expectMessage(/\/api\/auth\/session\b/)
  })
  afterAll(() => opened.disposeAsync())

  const fits = (): Promise<boolean> =>
    phone.page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth)

  test('the main job by touch, in the dark', async () => {
    const { page } = phone
    await page.goto('/login')
    await page.getByRole('textbox', { name: 'Username' }).tap()
    await phone.signIn('admin')
    await page
      .getByRole('link', { name: /question/ })
      .first()
      .waitFor()
    await phone.expectAccessible()
    expect(await fits()).toBe(true)
    await page.getByRole('link', { name: 'Chat', exact: true }).tap()
    await page.getByRole('heading', { name: 'What would you like to do?' }).waitFor()
    await phone.expectAccessible()
    await messageBox(page).tap()
    await messageBox(page).fill('Tell me about this host')
    await page.getByRole('button', { name: 'Send' }).tap()
    const answer = await lastAnswer(page)
    await answer.getByText('This machine is well.').waitFor()
    await answer.getByRole('button', { name: /Host overview/ }).tap()
    await answer.getByRole('grid', { name: 'Host' }).waitFor()
    await phone.expectAccessible()
    expect(await fits()).toBe(true)

    await messageBox(page).fill('/')
    await page.getByRole('option', { name: /Memory/ }).tap()
    await page.getByText('Memory takes no arguments. Enter runs it.').waitFor()
    await page.getByRole('button', { name: 'Send' }).tap()
    await (await lastAnswer(page)).getByRole('grid', { name: 'Memory' }).waitFor()
    await phone.expectAccessible()
    expect(await fits()).toBe(true)
  })

  test('in the light as well', async () => {
    const { page } = phone
    await page.emulateMedia({ colorScheme: 'light' })
    await phone.expectAccessible()
    await page.getByRole('button', { name: /Account/ }).tap()
    await page.getByRole('menuitemcheckbox', { name: 'Dark theme' }).tap()
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark')
    await phone.expectAccessible()
    await page.getByRole('button', { name: /Account/ }).tap()
    await page.getByRole('menuitemcheckbox', { name: 'System theme' }).tap()
  })

  test('conversations are renamed, pinned, filed, deleted and brought back in the drawer', async () => {
    const { page } = phone
    const openDrawer = async () => {
      await page.getByRole('button', { name: 'Conversations' }).tap()
      const drawer = page.getByRole('dialog', { name: 'Conversations' })
      await drawer.getByRole('link').first().waitFor()
      return drawer
    }
    let drawer = await openDrawer()
    await phone.expectAccessible()
    await drawer.getByRole('button', { name: /^Actions for Tell me about this host/ }).tap()
    await phone.expectAccessible()
    await page.getByRole('menuitem', { name: 'Rename' }).tap()
    const rename = page.getByRole('dialog', { name: 'Rename conversation' })
    await rename.getByRole('textbox', { name: 'Title' }).fill('The harbour host')
    await phone.expectAccessible()
    await rename.getByRole('button', { name: 'Save' }).tap()
    await drawer.getByRole('link', { name: /The harbour host/ }).waitFor()

    await drawer.getByRole('button', { name: 'Actions for The harbour host' }).tap()
    await page.getByRole('menuitem', { name: 'Pin' }).tap()
    await drawer.getByRole('heading', { name: 'Pinned' }).waitFor()

    await drawer.getByRole('button', { name: 'All conversations' }).tap()
    await page.getByRole('menuitem', { name: 'New folder' }).tap()
    const folder = page.getByRole('dialog', { name: 'New folder' })
    await folder.getByRole('textbox', { name: 'Name' }).fill('Machines')
    await folder.getByRole('button', { name: 'Save' }).tap()
    await drawer.getByText('This folder is empty.').waitFor()
    await drawer.getByRole('button', { name: 'Machines' }).tap()
    await page.getByRole('menuitemcheckbox', { name: 'All conversations' }).tap()
    await drawer.getByRole('button', { name: 'Actions for The harbour host' }).tap()
    await page.getByRole('menuitemcheckbox', { name: 'Machines' }).tap()
    await drawer.getByRole('button', { name: 'All conversations' }).tap()
    await page.getByRole('menuitemcheckbox', { name: 'Machines' }).tap()
    await expect.poll(() => drawer.getByRole('link').count()).toBe(1)
    await phone.expectAccessible()

    await drawer.getByRole('button', { name: 'Actions for The harbour host' }).tap()
    await page.getByRole('menuitem', { name: 'Delete' }).tap()
    await drawer.getByText('This folder is empty.').waitFor()
    await page.getByText('“The harbour host” was deleted.').waitFor()
    await phone.expectAccessible()
    await page.getByRole('button', { name: 'Undo' }).tap()
    await page
      .getByRole('heading', { name: 'The harbour host', level: 1, includeHidden: true })
      .waitFor({ state: 'attached' })
    if (!(await drawer.isVisible())) drawer = await openDrawer()
    await drawer.getByRole('link', { name: /The harbour host/ }).tap()
    await page.getByRole('article', { name: 'Answer' }).first().waitFor()
  })

  test('a long conversation opens at its end and pages backwards, staying where the reader is', async () => {
    const { page } = phone
    await page.goto(`/chat?c=${long ?? ''}`)
    const question = (number: number) =>
      page.getByRole('article', { name: 'You' }).getByText(`This is question ${number}`, { exact: true })
    const log = page.getByRole('log', { name: 'Messages' })
    const toEnd = (): Promise<number> => log.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight)
    await question(LONG / 2).waitFor()
    await expect.poll(toEnd).toBeLessThan(2)
    expect(await question(1).count()).toBe(0)
    // As when the keyboard of the phone opens.
    await page.setViewportSize({ ...PHONE, height: 480 })
    await expect.poll(toEnd).toBeLessThan(2)
    await page.setViewportSize(PHONE)
    await phone.expectAccessible()
    const atStart = async (): Promise<boolean> => (await question(1).count()) > 0
    while (!(await atStart())) {
      await log.evaluate((box) => box.scrollTo(0, 0))
      // What comes above does not move what the reader sees to the top.
      const kept = (): Promise<boolean> => log.evaluate((box) => box.scrollTop > 500)
      await expect.poll(async () => (await atStart()) || (await kept())).toBe(true)
    }
    // Only what is in sight is drawn.
    expect(await page.getByRole('article').count()).toBeLessThan(LONG / 2)
    await page.getByRole('button', { name: 'Jump to newest' }).tap()
    await expect.poll(toEnd).toBeLessThan(2)
  })

  test('everything in the chat is reached by Tab, and the focus is always seen', async () => {
    await using desk = await openVisitor(browser, app.url)
    desk.expectMessage(/\/api\/auth\/session\b/)
    await desk.signIn('admin')
    const { page } = desk
    await page.goto('/chat')
    await page.getByRole('heading', { name: 'What would you like to do?' }).waitFor()
    await page.getByRole('navigation', { name: 'Conversations' }).getByRole('link').first().waitFor()
    await tabTo(page, page.getByRole('searchbox', { name: 'Search conversations' }))
    await page.keyboard.type('host')
    await expect.poll(() => page.getByRole('navigation', { name: 'Conversations' }).getByRole('link').count()).toBe(1)
    await tabTo(page, page.getByRole('link', { name: /The harbour host/ }))
    await page.keyboard.press('Enter')
    await (await lastAnswer(page)).getByRole('grid', { name: 'Memory' }).waitFor()
    const actions = page.getByRole('button', { name: 'Actions for The harbour host' })
    await tabTo(page, actions)
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Rename' }).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => actions.evaluate((button) => button === document.activeElement)).toBe(true)
    await tabTo(page, page.getByRole('log', { name: 'Messages' }))
    const card = page
      .getByRole('article', { name: 'Answer' })
      .first()
      .getByRole('button', { name: /Host overview/ })
    await tabTo(page, card)
    await page.keyboard.press('Enter')
    expect(await card.getAttribute('aria-expanded')).toBe('true')
    await tabTo(
      page,
      page.getByRole('article', { name: 'Answer' }).last().getByRole('button', { name: 'More actions' }),
    )
    await tabTo(page, messageBox(page))
    await page.keyboard.type('Where does question 7 lead')
    await tabTo(page, page.getByRole('button', { name: 'Send' }))
    await page.keyboard.press('Enter')
    await page.getByText('Answer to question 7.').waitFor()
    await desk.expectAccessible()
  })
})
