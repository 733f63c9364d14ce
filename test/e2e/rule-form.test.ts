import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { startTestApp, type TestApp } from '../stage/app.ts'
import { openBrowser } from '../stage/browser.ts'
import { pictures } from './pictures.ts'
import { expectFits, lastAnswer, messageBox, openVisitor, say, tabTo, type Visitor } from './visitor.ts'

describe('rules with conditions', () => {
  const opened = new AsyncDisposableStack()
  let app: TestApp
  let browser: Browser
  let visitor: Visitor
  let page: Page

  beforeAll(async () => {
    app = opened.use(await startTestApp())
    await app.as('admin')
    browser = await openBrowser()
    opened.defer(() => browser.close())
    visitor = opened.use(await openVisitor(browser, app.url))
    visitor.expectMessage(/\/api\/auth\/session\b/)
    page = visitor.page
    await visitor.signIn('admin')
  })
  afterAll(() => opened.disposeAsync())

  const echo = (word: string): string => `/system.run_command command=echo args=["${word}"]`
  const dialog = (name: string | RegExp): Locator => page.getByRole('dialog', { name })
  const cards = (): Locator => page.getByRole('article', { name: 'Run a command' })
  const cell = (): Locator => page.getByRole('gridcell', { name: /^Rule for Run a command, role admin:/ })
  const rulesOfAdmin = async () =>
    (await (await app.as('admin')).call(contract.accounts.listRoles)).items
      .find(({ name }) => name === 'admin')!
      .rules.filter(({ subject }) => subject === 'tool:system.run_command')

  test('made from a card: the next matching call runs unasked, another one asks', async () => {
    await page.goto('/chat?new=true')
    await messageBox(page).waitFor()
    await say(page, echo('hello'))
    await cards().getByRole('button', { name: 'Approve', exact: true }).waitFor()
    await pictures(page, 'rule-card')
    await cards().getByRole('button', { name: 'Make a rule of this' }).click()

    const form = dialog('New rule with conditions')
    await form.getByText('Runs unasked if the command is echo hello.').waitFor()
    await form.getByText('The rule would have applied to 1 of 1 calls.').waitFor()
    await form.getByText('shell must stay false').waitFor()
    await form.getByText('deadline_s must stay 60').waitFor()
    await form.getByText('cwd must not be given').waitFor()
    // The second word may be one of two, and the time may be anything.
    await form.getByRole('combobox', { name: 'What is asked of Word 1' }).selectOption('one of')
    await form.getByRole('textbox', { name: 'Value of Word 1' }).fill('hello\nworld')
    await form.getByRole('button', { name: 'Let deadline_s be anything' }).click()
    await form.getByText(/the command is echo \(hello or world\)/).waitFor()
    await form.getByRole('textbox', { name: 'Note' }).fill('Greetings are harmless')
    await pictures(page, 'rule-form')
    await expectFits(visitor)
    await form.getByRole('button', { name: 'Add rule' }).click()
    await form.waitFor({ state: 'detached' })

    await page.getByText('1 unsaved change').waitFor()
    await page.getByRole('button', { name: 'Review and save' }).click()
    const review = dialog('What the new rules change')
    await review.getByText('Calls by users with the role admin (1) are then decided by these rules, too:').waitFor()
    await pictures(page, 'rule-form-review')
    await expectFits(visitor)
    await review.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The rules were saved.').first().waitFor()
    expect(await rulesOfAdmin()).toEqual([
      {
        subject: 'tool:system.run_command',
        effect: 'allow',
        note: 'Greetings are harmless',
        when: [{ argv: { program: '/command', args: '/args' }, tokens: ['echo', { in: ['hello', 'world'] }] }],
        free: ['/deadline_s'],
        examples: {
          match: [{ command: 'echo', args: ['hello'], shell: false, deadline_s: 60 }],
          no_match: [{ command: 'echo', args: ['hello', 'other'] }],
        },
      },
    ])

    await page.goto('/chat?new=true')
    await messageBox(page).waitFor()
    await say(page, echo('world'))
    const answer = await lastAnswer(page)
    await answer.getByText(/world/).first().waitFor()
    expect(await cards().count()).toBe(0)
    // The record of a call leads to the form, too.
    await answer
      .getByRole('button', { name: /Run a command/ })
      .first()
      .click()
    await answer.getByRole('button', { name: 'Make a rule of this' }).waitFor()
    await say(page, echo('secrets'))
    await cards().getByRole('button', { name: 'Approve', exact: true }).waitFor()
  })

  test('are listed with their cell, duplicated, deleted and restored before saving', async () => {
    await page.goto('/admin/roles')
    await page.getByRole('searchbox', { name: 'Find a tool' }).fill('run_command')
    await cell().click()
    await page.getByRole('menuitem', { name: 'Rules with conditions (1)' }).click()
    const list = dialog('Rules with conditions: Run a command, admin')
    await list.getByText('Greetings are harmless').waitFor()
    await pictures(page, 'rule-list')
    await expectFits(visitor)
    await list.getByRole('button', { name: /^Delete: / }).click()
    await list.getByText('will be deleted').waitFor()
    await list.getByRole('button', { name: /^Restore: / }).click()
    await list.getByText('will be deleted').waitFor({ state: 'detached' })
    await list.getByRole('button', { name: /^Duplicate: / }).click()

    const form = dialog('New rule with conditions')
    const effect = form.getByRole('combobox', { name: 'What such calls do' })
    await tabTo(page, effect)
    await effect.selectOption('Ask')
    await form.getByRole('button', { name: 'Add an exception' }).click()
    const exceptions = form.getByRole('group', { name: 'Condition about:' }).last()
    await exceptions.getByRole('button', { name: 'cwd' }).click()
    await form.getByRole('combobox', { name: 'What is asked of cwd' }).selectOption('is exactly')
    await form.getByRole('button', { name: 'Add rule' }).click()
    await expect.poll(() => list.getByText('new', { exact: true }).count()).toBe(1)
    await list
      .getByText(/^Asks if/)
      .or(list.getByText('Asks if'))
      .first()
      .waitFor()
    await list.getByRole('button', { name: /^Delete: Asks/ }).click()
    await list.getByRole('button', { name: 'Close' }).last().click()
    expect(await page.getByText(/unsaved change/).count()).toBe(0)
  })

  test('a rule without conditions says who decides, and is listed with what it says', async () => {
    await page.goto('/admin/roles')
    await page.getByRole('button', { name: 'New rule with conditions' }).click()
    const form = dialog('New rule with conditions')
    await form.getByRole('combobox', { name: 'Tool' }).fill('system.signal_process')
    await form.getByRole('combobox', { name: 'What such calls do' }).selectOption('Ask')
    await form.getByRole('combobox', { name: 'Decided by' }).selectOption('Other people')
    await form.getByRole('combobox', { name: 'People' }).selectOption('2')
    await form.getByRole('button', { name: 'And of another role' }).click()
    await form
      .getByText(/^Asks for every call\. Decided by: 2 with the role admin and 1 with the role user\.$/)
      .waitFor()
    expect(await form.getByRole('checkbox', { name: 'Ask every time' }).isDisabled()).toBe(true)
    await pictures(page, 'rule-deciders')
    await expectFits(visitor)
    await form.getByRole('button', { name: 'Add rule' }).click()
    await form.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Review and save' }).click()
    const review = dialog('What the new rules change')
    await review.getByText('Decided by: 2 with the role admin and 1 with the role user.').waitFor()
    await review.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The rules were saved.').first().waitFor()
    const { items } = await (await app.as('admin')).call(contract.accounts.listRoles)
    const admin = items.find(({ name }) => name === 'admin')!
    const others = items.find(({ name }) => name === 'user')!
    expect(admin.rules.filter(({ subject }) => subject === 'tool:system.signal_process')).toEqual([
      {
        subject: 'tool:system.signal_process',
        effect: 'ask',
        approvers: [
          { role_id: admin.role_id, count: 2 },
          { role_id: others.role_id, count: 1 },
        ],
      },
    ])
  })

  test('what the server refuses is shown at its field', async () => {
    await page.goto('/admin/roles')
    await page.getByRole('button', { name: 'New rule with conditions' }).click()
    const form = dialog('New rule with conditions')
    await form.getByRole('combobox', { name: 'Tool' }).fill('system.run_command')
    await form
      .getByRole('group', { name: 'Condition about:' })
      .getByRole('button', { name: 'the whole command' })
      .click()
    await form.getByRole('button', { name: 'Add rule' }).click()
    await form.getByRole('textbox', { name: 'Value of Program' }).fill('git')
    await form.getByRole('button', { name: 'Add a word' }).click()
    await form.getByRole('combobox', { name: 'What is asked of Word 1' }).selectOption('any further words')
    const command = form.getByRole('group', { name: 'the whole command' })
    await command.getByText('Every word behind git must be given, because it can run other programs.').waitFor()
    await form.getByRole('button', { name: 'Add rule' }).click()
    await pictures(page, 'rule-form-refused')
    await expectFits(visitor)
    // What was entered is not lost by one key.
    await page.keyboard.press('Escape')
    await dialog('Discard unsaved changes?').getByRole('button', { name: 'Discard' }).click()
    await form.waitFor({ state: 'detached' })
    expect(await page.getByText(/unsaved change/).count()).toBe(0)
  })

  test('explaining access takes arguments in a form and says how each condition came out', async () => {
    await page.goto('/admin/roles')
    await page.getByRole('button', { name: 'Explain access' }).click()
    const explain = dialog('Explain access')
    await explain.getByRole('combobox', { name: 'About' }).selectOption('A role')
    await explain.getByRole('combobox', { name: 'Tool, permission or procedure' }).fill('system.run_command')
    await explain.getByText('With arguments').click()
    await explain.getByRole('textbox', { name: 'command' }).fill('echo')
    await explain.getByRole('textbox', { name: 'args' }).fill('secrets')
    await explain.getByRole('button', { name: 'Explain', exact: true }).click()
    await explain.getByText('Does not hold:').first().waitFor()
    expect(await explain.getByText('Asks first').count()).toBeGreaterThan(0)
    await pictures(page, 'rule-explain')
    await expectFits(visitor)
  })
})
