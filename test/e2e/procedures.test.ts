import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { openBrowser } from '../stage/browser.ts'
import { say } from '../stage/chat-stage.ts'
import { openProceduresStage, type ProceduresStage } from '../stage/procedures/procedures-stage.ts'
import { databases } from '../stage/servers/postgres.ts'
import { pictures } from './pictures.ts'
import { chooseAction, expectFits, lastAnswer, openVisitor, type Visitor } from './visitor.ts'

describe('procedures', () => {
  const opened = new AsyncDisposableStack()
  let stage: ProceduresStage
  let browser: Browser
  let author: Visitor
  let reviewer: Visitor
  let shift: Visitor
  let shiftRole: string

  beforeAll(async () => {
    stage = opened.use(await openProceduresStage(databases[0]!))
    shiftRole = (await stage.shift('pia')).role_id
    browser = await openBrowser()
    opened.defer(() => browser.close())
    author = opened.use(await openVisitor(browser, stage.url))
    reviewer = opened.use(await openVisitor(browser, stage.url, { dark: true }))
    shift = opened.use(await openVisitor(browser, stage.url, { phone: true }))
    for (const visitor of [author, reviewer, shift]) visitor.expectMessage(/\/api\/auth\/session\b/)
    await Promise.all([author.signIn('author'), reviewer.signIn('admin'), shift.signIn('pia')])
  })
  afterAll(() => opened.disposeAsync())

  test('a finished run becomes a draft, which its author words and submits', async () => {
    const { page } = author
    const { conversation_id } = await say(stage.author, '/system.memory')
    await page.goto(`/chat?c=${conversation_id}`)
    const answer = await lastAnswer(page)
    await chooseAction(answer, 'Make a procedure')
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Look at the memory')
    await page.getByRole('textbox', { name: 'What it does' }).fill('For the shift without a shell.')
    await page
      .getByRole('group', { name: 'Arguments' })
      .getByRole('combobox', { name: 'Machine: value or parameter' })
      .waitFor()
    await expectFits(author)
    await pictures(page, 'procedure-draft')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name: 'Look at the memory' }).waitFor()
    await page.getByRole('button', { name: 'Submit for review' }).click()
    await page.getByText('In review').first().waitFor()
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0)
  })

  test('a second person reads every step and approves; the roles page knows it', async () => {
    const { page } = reviewer
    await page.goto('/procedures')
    await page.getByText('Waits for your review').waitFor()
    await expectFits(reviewer)
    await page.getByRole('link', { name: 'Look at the memory' }).click()
    await page.getByText('system.memory').waitFor()
    await expectFits(reviewer)
    await pictures(page, 'procedure-review')
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('Reviewed').first().waitFor()
    await page.getByText('No rule lets you run this procedure').waitFor()
    await page.goto('/admin/roles')
    await page.getByText('Procedures', { exact: true }).last().waitFor()
    const { items } = await stage.reviewer.call(contract.procedures.list)
    expect(items).toMatchObject([{ name: 'Look at the memory', current_version: 1 }])
    // Who may run it, and why, is a question of a cell like any other.
    await page.getByRole('button', { name: /^Procedures/ }).click()
    await page.getByRole('gridcell', { name: /^Rule for Look at the memory, role only pia:/ }).click()
    await page.getByRole('menuitem', { name: 'Explain access' }).click()
    const why = page.getByRole('dialog', { name: 'Explain access' })
    await why.getByRole('list', { name: 'Steps' }).waitFor()
    await why.getByText('“Look at the memory”, version 1: written by author, reviewed by admin.').waitFor()
    await why.getByText(/Step 1, system\.memory: /).waitFor()
    await why.getByText('With arguments').click()
    await why.getByRole('textbox', { name: 'Machine' }).fill('nowhere')
    await why.getByRole('button', { name: 'Explain', exact: true }).click()
    await why.getByText('“Look at the memory”: “Machine” does not take this value.').first().waitFor()
    await reviewer.expectAccessible()
    await pictures(page, 'explain-procedure')
  })

  test('on a phone: somebody without the tool runs it, and reads what came of it', async () => {
    const { items } = await stage.reviewer.call(contract.procedures.list)
    const rules = [{ subject: `procedure:${items[0]!.procedure_id}`, effect: 'allow' as const }]
    await stage.reviewer.call(contract.accounts.updateRole, { params: { role_id: shiftRole }, body: { rules } })
    const { page } = shift
    await page.goto('/procedures')
    await page.getByRole('link', { name: 'Look at the memory' }).tap()
    await page.getByRole('button', { name: 'Run', exact: true }).tap()
    const form = page.getByRole('dialog', { name: 'Run “Look at the memory”' })
    await form.getByRole('combobox', { name: 'Machine' }).waitFor()
    await expectFits(shift)
    await pictures(page, 'procedure-run')
    await form.getByRole('button', { name: 'Run', exact: true }).tap()
    await page.waitForURL(/\/chat\?c=/)
    const answer = await lastAnswer(page)
    await answer.getByText('All steps are done: 1.').waitFor()
    await page.goto('/procedures')
    await page.getByRole('link', { name: 'Look at the memory' }).tap()
    await page.getByText('Steps done: 1').waitFor()
    await expectFits(shift)
    expect(await page.getByRole('button', { name: 'Submit for review' }).count()).toBe(0)
    // As if its process had been killed in the middle of the step.
    const { db } = stage.app
    await db.write.updateTable('tool_call').set({ status: 'unknown' }).where('tool', '=', 'memory').execute()
    await page.reload()
    await page.getByText('Outcome of step 1 unknown').waitFor()
    await expectFits(shift)
    await pictures(page, 'procedure-unknown')
  })

  test('a new version shows what it changes; an example becomes a draft with one click', async () => {
    const { page } = author
    await page.reload()
    await page.getByText('Reviewed').first().waitFor()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'New version' }).click()
    await page.getByRole('checkbox', { name: 'Ask before this step, each time' }).check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'What has changed' }).waitFor()
    await page.getByText('+1. system.memory (!)').waitFor()
    await expectFits(author)
    await page.goto('/procedures')
    await page.getByRole('button', { name: 'Use “Disk is full”' }).click()
    await page.getByRole('heading', { level: 1, name: 'Disk is full' }).waitFor()
    await page.getByText('system.journal_vacuum').waitFor()
    await expectFits(author)
    expect(await page.getByRole('button', { name: 'Submit for review' }).isEnabled()).toBe(true)
  })

  test('who reviews sees parameters by their titles, suggested values, and characters that would hide', async () => {
    const { procedure } = await stage.author.call(contract.procedures.create, {
      body: {
        name: 'Says something',
        description: '',
        params: [{ name: 'what', title: 'What to look for', test: { any: true }, preset: 'nginx' }],
        steps: [
          {
            module: 'system',
            tool: 'logs',
            note: '',
            arguments: { unit: 'a\u202eb', search: { $param: 'what' } },
            confirm: false,
          },
        ],
      },
    })
    const { page } = author
    await page.goto(`/procedures/${procedure.procedure_id}`)
    await page.getByText('Suggested value "nginx"').waitFor()
    await page.getByText('a\\u{202e}b').waitFor()
    const step = page.getByRole('definition').filter({ hasText: 'What to look for' })
    expect(await step.innerText()).toBe('What to look for what')
    await expectFits(author)
  })
})
