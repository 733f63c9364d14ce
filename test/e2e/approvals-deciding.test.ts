import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { startTestApp, type TestApp } from '../stage/app.ts'
import { openBrowser } from '../stage/browser.ts'
import { workingModule } from '../stage/modules/working-module.ts'
import { startScriptedModel, type ScriptedModel, type ScriptedStep } from '../stage/servers/scripted-model.ts'
import { pictures } from './pictures.ts'
import { lastAnswer, messageBox, openVisitor, say, type Visitor } from './visitor.ts'

const HOSTILE = `/srv/<img src=x onerror="window.harmed=1">/${'deep/'.repeat(1000)}`
const erase = (path: string, more: object = {}) => ({ name: 'works.erase', arguments: { path, ...more } })
const note = (path: string) => ({ name: 'works.note', arguments: { path, text: 'Moved to the new disk.' } })
const scripts: Record<string, ScriptedStep[][]> = {
  both: [
    [{ text: 'Two changes.' }, { calls: [note('/srv/notes/disk.md'), erase('/srv/old', { force: true })] }],
    [{ text: 'Both are done.' }],
  ],
  deny: [[{ calls: [erase('/srv/photos')] }], [{ text: 'Then they stay.' }]],
  hostile: [[{ calls: [erase(HOSTILE, { text: 'line\n'.repeat(400) })] }], [{ text: 'Left alone.' }]],
}

describe('deciding', () => {
  const opened = new AsyncDisposableStack()
  let model: ScriptedModel
  let app: TestApp
  let browser: Browser
  let visitor: Visitor
  let page: Page

  beforeAll(async () => {
    model = opened.use(
      await startScriptedModel((request) => {
        const question = JSON.stringify(request.messages.findLast(({ role }) => role === 'user')?.content)
        const cue = Object.keys(scripts).find((word) => question.includes(word)) ?? ''
        return scripts[cue]?.shift() ?? [{ text: 'Understood.' }]
      }),
    )
    app = opened.use(await startTestApp({ model, builtins: [workingModule()] }))
    const admin = await app.as('admin')
    const { user } = await admin.call(contract.accounts.session)
    await admin.call(contract.accounts.updateUser, {
      params: { user_id: user.id },
      body: { display_name: 'Ada Lovelace' },
    })
    browser = await openBrowser()
    opened.defer(() => browser.close())
    visitor = opened.use(await openVisitor(browser, app.url))
    visitor.expectMessage(/\/api\/auth\/session\b/)
    await visitor.signIn('admin')
    page = visitor.page
    await page.goto('/chat?new=true')
    await messageBox(page).waitFor()
  })
  afterAll(() => opened.disposeAsync())

  const card = (name: string): Locator => page.getByRole('article', { name, exact: true })
  const answer = (): Locator => page.getByRole('article', { name: 'Answer' }).last()
  const log = (): Locator => page.getByRole('log', { name: 'Messages' })

  test('a card shows the thing to copy, one line about it, and further arguments on request', async () => {
    await say(page, 'Please do both')
    const erasing = card('Erase things')
    await erasing.waitFor()
    await erasing.getByRole('button', { name: 'Copy code' }).click()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('/srv/old')
    await erasing.getByText(/For Ada Lovelace · .* · works\.erase · .* · Expires in 1 day/).waitFor()
    expect(await erasing.getByText('For Ada Lovelace').getAttribute('title')).toBe('admin')
    expect(await erasing.getByText('May delete or overwrite').count()).toBe(1)
    await erasing.getByText('Further arguments').click()
    await erasing.getByText('force', { exact: true }).waitFor()
    await visitor.expectAccessible()
    await pictures(page, 'deciding')
  })

  test('two cards of one step run together, and are approved together once both were in view', async () => {
    const both = page.getByRole('button', { name: 'Approve both' })
    await page.reload()
    await page.setViewportSize({ width: 1280, height: 420 })
    await both.waitFor()
    await log().evaluate((box) => (box.scrollTop = box.scrollHeight))
    await page.getByText('Both run when both are decided. Look at each of them first.').waitFor()
    expect(await both.isDisabled()).toBe(true)
    // Only a reader's own wheel leaves the end, which the conversation follows otherwise.
    await log().hover()
    await page.mouse.wheel(0, -200)
    for (const name of ['Write a note', 'Erase things'])
      for (const edge of await card(name).locator('[data-edge]').all()) {
        // The conversation stays at its end until it has noticed that somebody scrolls; what is in view is noted frame by frame.
        await expect
          .poll(async () => {
            await edge.scrollIntoViewIfNeeded()
            await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
            return isInSight(edge, log())
          })
          .toBe(true)
      }
    await page.setViewportSize({ width: 1280, height: 800 })
    await expect.poll(() => both.isEnabled()).toBe(true)
    await visitor.expectAccessible()
    await both.click()
    await answer().getByText('Both are done.').waitFor()
    await lastAnswer(page)
    await answer()
      .getByRole('button', { name: /Changed 2 things/ })
      .click()
    expect(
      await answer()
        .getByText(/^Approved by Ada Lovelace$/)
        .count(),
    ).toBe(2)
    expect(await card('Erase things').count()).toBe(0)
    await visitor.expectAccessible()
    await pictures(page, 'decided')
  })

  test('a denial asks for its reason in place, and is told as people say it', async () => {
    await page.goto('/chat?new=true')
    await say(page, 'Please deny this')
    const erasing = card('Erase things')
    const deny = erasing.getByRole('button', { name: 'Deny…' })
    await expect.poll(() => deny.isEnabled()).toBe(true)
    await deny.click()
    const reason = erasing.getByRole('textbox', { name: 'Reason (optional)' })
    await reason.fill('not during office hours')
    await expect.poll(() => isInSight(reason, log())).toBe(true)
    await visitor.expectAccessible()
    await pictures(page, 'denying')
    await erasing.getByRole('button', { name: 'Deny', exact: true }).click()
    await answer().getByText('Denied by Ada Lovelace: not during office hours').waitFor()
    await lastAnswer(page)
    expect(await answer().getByText('The person denied').count()).toBe(0)
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain(
      'The person denied this call and says: not during office hours',
    )
    // One card for the call, before and after.
    expect(
      await answer()
        .getByRole('button', { name: /Erase things/ })
        .count(),
    ).toBe(1)
    await visitor.expectAccessible()
  })

  test('hostile words are text, bounded, and the buttons stay in view, on a phone in the dark', async () => {
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.setViewportSize({ width: 360, height: 640 })
    await page.goto('/chat?new=true')
    await say(page, 'Something hostile')
    const erasing = card('Erase things')
    await erasing.waitFor()
    await erasing.getByText('Further arguments').click()
    await erasing.getByRole('heading').scrollIntoViewIfNeeded()
    const approve = erasing.getByRole('button', { name: 'Approve', exact: true })
    expect((await erasing.boundingBox())!.height).toBeGreaterThan(640)
    await log().evaluate((box) => (box.scrollTop = box.scrollHeight / 2))
    await expect.poll(() => isInSight(approve, log())).toBe(true)
    expect(await erasing.locator('img').count()).toBe(0)
    expect(await page.evaluate(() => (window as { harmed?: number }).harmed)).toBeUndefined()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
    await visitor.expectAccessible()
    await pictures(page, 'deciding-long')
    await page.goto('/approvals')
    await erasing.waitFor()
    await visitor.expectAccessible()
    await page.getByText('Denied by Ada Lovelace').first().waitFor()
    await pictures(page, 'deciding-inbox')
  })
})

async function isInSight(element: Locator, box: Locator): Promise<boolean> {
  const [inner, outer] = await Promise.all([element.boundingBox(), box.boundingBox()])
  return inner !== null && outer !== null && inner.y >= outer.y && inner.y + inner.height <= outer.y + outer.height + 1
}
