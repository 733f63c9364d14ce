import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../stage/app.ts'
import { openBrowser } from '../stage/browser.ts'
import { workingModule } from '../stage/modules/working-module.ts'
import { startScriptedModel, type ScriptedStep } from '../stage/servers/scripted-model.ts'
import { pictures } from './pictures.ts'
import { lastAnswer, messageBox, openVisitor, say, type Visitor } from './visitor.ts'

const note = (text: string) => [{ calls: [{ name: 'works.note', arguments: { path: '/srv/notes.md', text } }] }]
const erase = [{ calls: [{ name: 'works.erase', arguments: { path: '/srv/old' } }] }]
const said = (text: string) => [{ text }]
const scripts: Record<string, ScriptedStep[][]> = {
  first: [note('One.'), said('One is written.')],
  second: [note('Two.'), said('Two is written.')],
  third: [note('Three.'), said('Three is written.')],
  erasing: [erase, said('Erased once.')],
  again: [erase, said('Erased again.')],
}

describe('approving later calls', () => {
  const opened = new AsyncDisposableStack()
  let app: TestApp
  let browser: Browser
  let visitor: Visitor
  let page: Page

  beforeAll(async () => {
    const model = opened.use(
      await startScriptedModel((request) => {
        const question = JSON.stringify(request.messages.findLast(({ role }) => role === 'user')?.content)
        const cue = Object.keys(scripts).find((word) => question.includes(word)) ?? ''
        return scripts[cue]?.shift() ?? [{ text: 'Understood.' }]
      }),
    )
    app = opened.use(await startTestApp({ model, builtins: [workingModule()] }))
    await app.as('admin')
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
  const press = async (name: string, button: string): Promise<void> => {
    const wanted = card(name).getByRole('button', { name: button, exact: true })
    await expect.poll(() => wanted.isEnabled()).toBe(true)
    await wanted.click()
  }

  test('a card offers calls like its own, says what may differ, and the next one runs unasked, renewed once the conversation has read others’ words', async () => {
    await say(page, 'The first')
    const writing = card('Write a note')
    await writing.getByText('For this conversation means up to 100 times within 8 hr: text may be anything.').waitFor()
    await writing.getByText('Approve covers:').first().click()
    await writing
      .getByRole('radio', { name: /^calls like this, up to 20 times within 1 hr: text may be anything$/ })
      .check()
    await visitor.expectAccessible()
    await pictures(page, 'later-card')
    await press('Write a note', 'Approve')
    await page.getByText('One is written.').waitFor()
    await lastAnswer(page)
    // The module's own words have been read by now, which the conversation says, and so does the next card.
    const mark = page.getByText('This conversation has read works.note, which others may have written.')
    await mark.waitFor()
    await say(page, 'The second')
    await writing.getByText('This conversation has read works.note').waitFor()
    await writing.getByText('Approve covers:').first().click()
    await writing.getByRole('radio', { name: /^calls like this, as approved earlier, up to 20 times/ }).waitFor()
    await visitor.expectAccessible()
    await pictures(page, 'later-renew')
    // The same, as often and as long as is offered.
    await press('Write a note', 'Approve for this conversation')
    await page.getByText('Two is written.').waitFor()
    await lastAnswer(page)
    await say(page, 'The third')
    await page.getByText('Three is written.').waitFor()
    await lastAnswer(page)
    expect(await writing.count()).toBe(0)
  })

  test('what deletes is approved again only as it is; the page of approvals lists what counts, and ends it', async () => {
    await say(page, 'Start erasing')
    await card('Erase things').getByText('Approve covers:').first().click()
    expect(await card('Erase things').getByRole('radio').count()).toBe(2)
    await card('Erase things').getByRole('radio', { name: 'this call again, up to 20 times within 1 hr' }).check()
    await press('Erase things', 'Approve')
    await page.getByText('Erased once.').waitFor()
    await lastAnswer(page)
    await say(page, 'Once again')
    await page.getByText('Erased again.').waitFor()
    await lastAnswer(page)
    await page.goto('/approvals')
    const list = page.getByRole('region', { name: 'Approved for later calls' })
    await list.getByText('exactly this call').waitFor()
    await list.getByText('19 of 20 left').first().waitFor()
    expect(await list.getByText('Does not count until renewed on a card').count()).toBe(0)
    await visitor.expectAccessible()
    await pictures(page, 'later-list')
    await page.setViewportSize({ width: 360, height: 780 })
    await visitor.expectAccessible()
    await list.getByRole('button', { name: /^End Erase things/ }).click()
    await expect.poll(() => list.getByText('exactly this call').count()).toBe(0)
    await page.setViewportSize({ width: 1280, height: 800 })
  })
})
