import { describe, expect, test } from 'vitest'
import { ERRORS } from '../contract/errors.ts'
import { PERMISSIONS, type Route, TOKEN_SUBJECTS } from '../contract/route.ts'
import { readConfig } from '../server/app/config.ts'
import { SETTINGS } from '../server/app/settings.ts'
import { everyRoute } from './stage/sources/every-route.ts'
import { generatedSection, readDocs } from './stage/sources/generated-section.ts'

/** What a setting is when nobody sets it, as the schema says. */
function defaultOf(name: keyof typeof SETTINGS): string {
  const value: unknown = SETTINGS[name].schema.parse(undefined)
  return value === '' ? 'empty' : `\`${String(value)}\``
}

/** Which access tokens a route takes. */
function tokensFor({ access, audience, sessionOnly, freshSignIn, tokenNeeds, permissions = [] }: Route): string {
  if (access === 'public') return ''
  if (sessionOnly || freshSignIn) return 'none'
  if (audience === 'mcp') return 'for MCP clients only'
  const needs = [...permissions, ...(tokenNeeds === undefined ? [] : [tokenNeeds])]
  return needs.length === 0 ? 'not limited' : `with ${needs.map((each) => `\`${each}\``).join(', ')}`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n')
}

// Out of date? `REEVE_UPDATE_DOCS=1 npm test -- test/docs.test.ts` writes the generated parts.
describe('the documentation', () => {
  test('has every setting with its default', () => {
    const rows = Object.entries(SETTINGS).map(([name, { about }]) => [
      `\`${name}\``,
      defaultOf(name as keyof typeof SETTINGS),
      about,
    ])
    const wanted = table(['Setting', 'Default', 'What it does'], rows)
    expect(generatedSection('configuration.md', wanted)).toBe(wanted)
  })

  test('of settings is what an operator is sent to', () => {
    expect(() => readConfig({ REEVE_NONSENSE: '1' })).toThrow('docs/configuration.md')
  })

  test('has every error with its status and title, and where it comes from', () => {
    const rows = Object.entries(ERRORS).map(([code, { status, title }]) => {
      const routes = everyRoute.filter(
        ({ route }) =>
          (route.errors as readonly string[]).includes(code) ||
          (code === 'sign_in_again' && route.freshSignIn === true),
      )
      return [
        `\`${code}\``,
        String(status),
        title,
        routes.map(({ route }) => `\`${route.method} ${route.path}\``).join('<br>'),
      ]
    })
    const wanted = table(['Code', 'Status', 'Title', 'Routes that declare it'], rows)
    expect(generatedSection('errors.md', wanted)).toBe(wanted)
  })

  test('has every route with who may use it', () => {
    const rows = everyRoute.map(({ route }) => [
      `\`${route.method} ${route.path}\``,
      route.summary,
      route.access === 'public' ? 'everybody' : route.access === 'admin' ? 'administrators' : 'signed in',
      (route.permissions ?? []).map((each) => `\`${each}\``).join(', '),
      tokensFor(route),
      route.rateLimit === undefined
        ? ''
        : `${route.rateLimit} a minute${route.sharedLimit === true ? ', all processes' : ''}`,
    ])
    const wanted = table(['Route', 'What it does', 'Who', 'Permissions', 'Access tokens', 'Limit per address'], rows)
    expect(generatedSection('api.md', wanted)).toBe(wanted)
  })

  test('of security has every permission', () => {
    const page = readDocs('security.md')
    for (const permission of PERMISSIONS) expect(page).toContain(`\`${permission}\``)
    for (const subject of TOKEN_SUBJECTS) expect(page).toContain(`\`${subject}\``)
  })
})
