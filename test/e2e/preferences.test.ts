import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { startTestApp, type TestApp } from '../stage/app.ts'
import { openBrowser } from '../stage/browser.ts'
import { PASSWORD } from '../stage/people.ts'
import { pictures } from './pictures.ts'
import { openVisitor } from './visitor.ts'

describe('preferences', () => {
  let app: TestApp
  let browser: Browser
  beforeAll(async () => {
    app = await startTestApp()
    await app.as('admin')
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await app[Symbol.asyncDispose]()
  })

  test('the personal prompt is counted, limited, saved, and can be discarded', async () => {
    await using visitor = await openVisitor(browser, app.url)
    const { page } = visitor
    await visitor.signIn('admin')
    await page.goto('/account?tab=preferences')
    const prompt = page.getByRole('textbox', { name: 'What the assistant should know about you' })
    const save = page.getByRole('button', { name: 'Save', exact: true })
    expect(await save.isDisabled()).toBe(true)
    await prompt.fill('𝄞'.repeat(4001))
    await page.getByText('At most 4,000 characters.').waitFor()
    expect(await save.isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Discard changes' }).click()
    expect(await prompt.inputValue()).toBe('')
    await prompt.fill(`${'𝄞'.repeat(3999)}!`)
    await page.getByText('4,000 of 4,000 characters').waitFor()
    await save.click()
    await page.getByText('Saved. It applies from your next run.').waitFor()
    const stored = await (await app.as('admin')).call(contract.accounts.preferences)
    expect(stored.personal_prompt).toBe(`${'𝄞'.repeat(3999)}!`)
    await prompt.fill('I look after the web servers.')
    await save.click()
    await visitor.expectAccessible()
    await pictures(page, 'preferences')
  })

  test('theme, density and single keys hold at once and after a reload, in this browser', async () => {
    await using visitor = await openVisitor(browser, app.url)
    const { page } = visitor
    await visitor.signIn('admin')
    await page.goto('/account?tab=preferences')
    const height = (): Promise<number> =>
      page.getByLabel('Theme', { exact: true }).evaluate((box) => box.getBoundingClientRect().height)
    await page.getByLabel('Theme', { exact: true }).selectOption({ label: 'Dark theme' })
    const roomy = await height()
    await page.getByLabel('Density').selectOption({ label: 'Compact' })
    await page.getByRole('checkbox', { name: 'Single-key shortcuts' }).uncheck()
    expect(await height()).toBeLessThan(roomy)
    await visitor.expectAccessible()
    await page.reload()
    await page.getByLabel('Density').waitFor()
    expect(await page.locator('html').evaluate(({ dataset }) => ({ ...dataset }))).toEqual({
      theme: 'dark',
      density: 'compact',
    })
    expect(await height()).toBeLessThan(roomy)
    await page.getByRole('heading', { level: 1 }).click()
    await page.keyboard.press('n')
    expect(new URL(page.url()).pathname).toBe('/account')
    await page.getByLabel('Density').selectOption({ label: 'Comfortable' })
    expect(await height()).toBe(roomy)
  })

  test('a language is stored with the account, at once, and dates and numbers follow', async () => {
    await using visitor = await openVisitor(browser, app.url)
    const { page } = visitor
    await visitor.signIn('admin')
    await page.goto('/account?tab=preferences')
    const language = page.locator('select').first()
    await language.waitFor()
    expect(await language.locator('option').allTextContents()).toEqual([
      'English',
      'Deutsch',
      'Español',
      'Français',
      'Português',
      'Русский',
      'Українська',
      '中文',
      '日本語',
    ])
    await language.selectOption('de')
    await page.getByText(/ 4\.000 /).waitFor()
    expect((await (await app.as('admin')).call(contract.accounts.preferences)).language).toBe('de')
    await page.reload()
    await page.getByText(/ 4\.000 /).waitFor()
    await page.locator('select').first().selectOption('en')
    await page.getByText(/ 4,000 /).waitFor()
  })

  test('a language chosen at the door keeps what is typed there, and where', async () => {
    await using visitor = await openVisitor(browser, app.url)
    const { page } = visitor
    await page.goto('/login')
    await page.locator('input[autocomplete^=username]').fill('zoe')
    // The texts arrive while somebody types on.
    let deliver = (): void => undefined
    const arrived = new Promise<void>((resolve) => (deliver = resolve))
    await page.route(/fr-[^/]*\.json/, async (route) => {
      await arrived
      await route.continue()
    })
    await page.getByRole('combobox', { name: 'Language' }).selectOption('fr')
    await page.locator('input[type=password]').pressSequentially('half of ')
    deliver()
    await page.getByRole('combobox', { name: 'Langue' }).waitFor()
    await page.keyboard.type('it')
    expect(await page.locator('input[type=password]').inputValue()).toBe('half of it')
    expect(await page.locator('input[autocomplete^=username]').inputValue()).toBe('zoe')
  })

  test('a language chosen before signing in becomes the language of the account', async () => {
    await using visitor = await openVisitor(browser, app.url)
    const { page } = visitor
    await app.as('zoe')
    await page.goto('/login')
    await page.getByRole('combobox', { name: 'Language' }).selectOption('fr')
    await page.locator('input[autocomplete^=username]').fill('zoe')
    await page.locator('input[type=password]').fill(PASSWORD)
    await page.locator('button[type=submit]').click()
    await page.waitForURL((url) => url.pathname !== '/login')
    await expect.poll(async () => (await (await app.as('zoe')).call(contract.accounts.preferences)).language).toBe('fr')
  })
})
