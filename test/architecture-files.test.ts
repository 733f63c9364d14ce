import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readSources, ROOT, ROOTS, type SourceFile } from './stage/sources/source-graph.ts'

const FORBIDDEN = /^(utils?|helpers?|common|services?|manager|base|index)$|[-.](utils?|helpers?|manager)$/
const MAY_BE_INDEX = ['contract/index.ts', 'server/db/migrations/index.ts']
const LONGEST = 300
/** Sources of one folder, tests beside them not counted. */
const MOST_FILES = 31
/** A file for each area of the interface, and one test for each promise: lists, not rooms. */
const LISTS = ['contract', 'server/db/migrations', 'test', 'test/e2e']

const files = readSources(ROOTS)

describe('files', () => {
  const named = (problem: (file: SourceFile) => boolean): string[] => files.filter(problem).map(({ path }) => path)

  test(`have at most ${LONGEST} lines, half of them under 100`, () => {
    expect(named(({ lines }) => lines > LONGEST)).toEqual([])
    const lengths = files.map(({ lines }) => lines).sort((a, b) => a - b)
    expect(lengths[lengths.length >> 1]).toBeLessThan(100)
  })

  test(`stand in folders of at most ${MOST_FILES}`, () => {
    const counted = Map.groupBy(
      files.filter(({ path }) => !path.includes('.test.')),
      ({ path }) => dirname(path),
    )
    const full = [...counted].filter(([folder, { length }]) => length > MOST_FILES && !LISTS.includes(folder))
    expect(full.map(([folder, { length }]) => `${folder}: ${length}`)).toEqual([])
  })

  test('are where the architecture document says', () => {
    const text = readFileSync(join(ROOT, 'docs/ARCHITECTURE.md'), 'utf8')
    const PATH =
      /(?<![\w/])((?:contract|server|builtin|sdk|web|help|test|scripts|chat|modules|tables|kernel|db)\/[\w/.-]*[\w/])/g
    const named = [...text.matchAll(PATH)].map(([, path]) => path!)
    const there = (path: string): boolean =>
      [path, `server/${path}`, `server/${path}.ts`].some((each) => existsSync(join(ROOT, each)))
    expect(named.length).toBeGreaterThan(30)
    expect(named.filter((path) => !there(path))).toEqual([])
  })

  test('are named in kebab-case after what they hold', () => {
    const kebab = /^[a-z0-9]+(-[a-z0-9]+)*(\.test|\.config|\.d)?\.(ts|tsx|mjs|css)$/
    expect(named(({ path }) => !kebab.test(basename(path)))).toEqual([])
    const bad = (path: string): boolean =>
      path.split('/').some((part) => FORBIDDEN.test(part.replace(/(\.test)?\.\w+$/, '')))
    expect(named(({ path }) => !path.endsWith('.css') && bad(path) && !MAY_BE_INDEX.includes(path))).toEqual([])
  })

  test('find their neighbours by paths: the pathname of an address has %20 where the folder has a space', () => {
    const misuse = /import\.meta\.url\s*\)[^\n]*\.pathname/
    expect(named(({ path }) => misuse.test(readFileSync(join(ROOT, path), 'utf8')))).toEqual([])
  })

  test('are no barrels: what is needed is imported from where it is made', () => {
    expect(named(({ path, barrel }) => barrel && !path.startsWith('contract/'))).toEqual([])
  })
})
