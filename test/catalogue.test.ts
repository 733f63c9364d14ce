import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ERRORS } from '../contract/errors.ts'
import { NOTICE_TEXTS } from '../server/chat/history/run-notices.ts'
import catalogue from '../web/locales/en.json' with { type: 'json' }

const WEB = join(import.meta.dirname, '../web')
const texts: Record<string, string> = catalogue

test('every notice of a run has its text in the catalogue, the same as programs get', () => {
  for (const [code, [, text]] of Object.entries(NOTICE_TEXTS))
    expect([code, texts[`notice.${code}`]]).toEqual([code, text.toString()])
})

test('no text is in the catalogue that nothing shows, and none is missing', () => {
  const sources = readdirSync(WEB, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path) && !path.includes('node_modules'))
    .map((path) => readFileSync(join(WEB, path), 'utf8'))
    .join('\n')
  // Codes of the server become keys when they are shown.
  const fromCodes = new Set([
    ...Object.keys(NOTICE_TEXTS).map((code) => `notice.${code}`),
    ...Object.keys(ERRORS).map((code) => `error.${code}`),
  ])
  const built = [...sources.matchAll(/`([a-z_]+\.[a-z_.]*)\$\{/g)].map((match) => match[1]!)
  const quoted = new Set([...sources.matchAll(/['"`]([a-z_]+(?:\.[a-z_0-9]+)+)['"`]/g)].map((match) => match[1]!))
  const unused = Object.keys(texts).filter(
    (key) => !quoted.has(key) && !fromCodes.has(key) && !built.some((prefix) => key.startsWith(prefix)),
  )
  expect(unused).toEqual([])
  const asked = [...sources.matchAll(/\bt\(\s*'([^']+)'/g)].map((match) => match[1]!)
  expect(asked.filter((key) => !(key in texts))).toEqual([])
  expect(asked.length).toBeGreaterThan(100)
})
