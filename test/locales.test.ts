import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { LANGUAGES } from '../contract/accounts.ts'
import { ERRORS } from '../contract/errors.ts'
import { readChapter } from '../web/help/chapter.ts'
import { HELP_CHAPTERS } from '../web/shell/frame/help-chapter.ts'
import { usedKeys } from './stage/sources/message-keys.ts'
import { messageShape, pluralFaults } from './stage/sources/message-shape.ts'
import { sentenceTemplates } from './stage/sources/sentence-templates.ts'
import { unsaidSentences } from './stage/sources/unsaid-sentences.ts'
import { ROOT } from './stage/sources/source-graph.ts'

type Catalogue = Readonly<Record<string, string>>

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const json = (path: string): Catalogue => JSON.parse(read(path)) as Catalogue
const namesIn = (folder: string): string[] => (existsSync(join(ROOT, folder)) ? readdirSync(join(ROOT, folder)) : [])
const languagesIn = (folder: string): string[] =>
  namesIn(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))

function sourcesUnder(folders: readonly string[]): { path: string; text: string }[] {
  return folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter(({ name, parentPath }) => /(?<!\.test)\.tsx?$/.test(name) && !parentPath.includes('node_modules'))
      .map(({ name, parentPath }) => ({
        path: join(parentPath, name).slice(ROOT.length + 1),
        text: readFileSync(join(parentPath, name), 'utf8'),
      })),
  )
}

/** What is read by operators at a terminal or in the log, by authors of modules, or by a model: in English alone. */
const NOT_FOR_PERSONS = [
  // Settings of the environment that keep the service from starting.
  'server/accounts/accounts.ts',
  'server/ai/prompt-messages.ts',
  // What the engine under test is asked.
  'server/ai/test-request.ts',
  'server/app/config.ts',
  'server/app/settings.ts',
  'server/app/files-address.ts',
  // Why the process ended, at the terminal and in the log.
  'server/app/failure-sentence.ts',
  'server/certificates/',
  'server/chat/prompt/system-prompt.ts',
  'server/chat/titles/name-conversation.ts',
  'server/cli/',
  // What models of MCP clients read, in the language of the definitions of tools.
  'server/gateway/',
  'server/db/',
  // What a machine, or a program on it, answered: English, like the results of tools.
  'server/hosts/local/',
  'server/hosts/reeve-op/',
  'server/hosts/ssh/',
  // Why nothing can listen on the configured address.
  'server/http/listen-problem.ts',
  // What keeps the secret key or a sealed value from being used: at the terminal and in the log.
  'server/kernel/vault.ts',
  // The settings of signed heads, and why one was not sent; why a document is none, at the terminal.
  'server/receipts/check-heads.ts',
  'server/receipts/check-receipt.ts',
  'server/receipts/places.ts',
  'server/receipts/read-envelope.ts',
  'server/receipts/verify-document.ts',
  // What a model reads of a table.
  'server/files/parse/table/table-outline.ts',
  'server/files/s3/',
  // Findings for the author of a bundle.
  'server/modules/bundle/lint/',
  // What a call came to, for the model that made it.
  'server/modules/mcp/bounded-check.ts',
  'server/modules/mcp/json-schema.ts',
  'server/modules/mcp/result-fault.ts',
  'server/modules/mcp/tasks/',
  'server/modules/ownership/routed-module.ts',
  'server/modules/result/',
  'server/modules/supervision/run-call.ts',
  // The proxy's answers to the programs of a module.
  'server/modules/process/network-grant.ts',
  'server/modules/process/network-proxy.ts',
  'server/operation/',
  'server/tables/labels/label-prompt.ts',
  'sdk/cli/',
  'builtin/',
]

const english = json('web/locales/en.json')
const keys = Object.keys(english)

describe('the texts of the pages', () => {
  test('are there for every language that a person can choose, and no other', () => {
    expect(languagesIn('web/locales').sort()).toEqual([...LANGUAGES].sort())
  })

  test('are all used', () => {
    const used = new Set<string>()
    for (const { text } of sourcesUnder(['web'])) for (const key of usedKeys(text, keys)) used.add(key)
    expect(keys.filter((key) => !used.has(key))).toEqual([])
  })

  describe.each(languagesIn('web/locales'))('in %s', (language) => {
    const catalogue = json(`web/locales/${language}.json`)

    test('are complete, and no more', () => {
      expect(keys.filter((key) => !(key in catalogue))).toEqual([])
      expect(Object.keys(catalogue).filter((key) => !(key in english))).toEqual([])
      expect(Object.keys(catalogue).filter((key) => catalogue[key]!.trim() === '')).toEqual([])
    })

    test('have the placeholders of the English ones', () => {
      const different = keys.flatMap((key) => {
        const [wanted, given] = [english, catalogue].map((each) => messageShape(each[key] ?? '').placeholders.join(' '))
        return wanted === given ? [] : [`${key}: ${given} instead of ${wanted}`]
      })
      expect(different).toEqual([])
    })

    test('have the plurals of their language', () => {
      const faults = Object.entries(catalogue).flatMap(([key, text]) =>
        pluralFaults(text, language).map((fault) => `${key}: ${fault}`),
      )
      expect(faults).toEqual([])
    })
  })
})

describe('the sentences of the server', () => {
  const said = sourcesUnder(['server', 'builtin', 'sdk'])
    .filter(({ path }) => path !== 'server/kernel/sentence.ts' && !path.startsWith('sdk/kit/'))
    .flatMap(({ path, text }) => sentenceTemplates(text).map((each) => ({ path, ...each })))
  const titles = Object.values(ERRORS).map(({ title }) => title)
  const templates = [...new Set([...said.map(({ template }) => template), ...titles])]

  test('are whole, with places that the catalogue can name', () => {
    expect(templates.length).toBeGreaterThan(100)
    expect(said.filter(({ values }) => values > 10)).toEqual([])
  })

  test('are written with say wherever a person can read them', () => {
    const unsaid = sourcesUnder(['server', 'builtin', 'sdk/cli']).flatMap(({ path, text }) =>
      unsaidSentences(text).map((sentence) => ({ path, sentence })),
    )
    expect(unsaid.filter(({ path }) => !NOT_FOR_PERSONS.some((each) => path.startsWith(each)))).toEqual([])
    expect(NOT_FOR_PERSONS.filter((each) => !unsaid.some(({ path }) => path.startsWith(each)))).toEqual([])
  })

  test.each(LANGUAGES.filter((language) => language !== 'en'))(
    'in %s are complete, no more, and have the places of the English ones',
    (language) => {
      const catalogue = json(`server/locales/${language}.json`)
      const places = (text: string): string =>
        [...text.matchAll(/\{\d\}/g)]
          .map(([place]) => place)
          .sort()
          .join('')
      expect(templates.filter((template) => !(template in catalogue))).toEqual([])
      expect(Object.keys(catalogue).filter((template) => !templates.includes(template))).toEqual([])
      expect(
        Object.entries(catalogue).filter(([template, text]) => text.trim() === '' || places(template) !== places(text)),
      ).toEqual([])
    },
  )
})

describe('the guide', () => {
  /** Chapters by their path below the language: `chat.md`, `certificates/windows.md`. */
  const filesOf = (language: string): string[] =>
    ['', 'certificates/', 'author/'].flatMap((folder) =>
      namesIn(`help/${language}/${folder}`)
        .filter((name) => name.endsWith('.md'))
        .map((name) => folder + name),
    )
  const chapterOf = (language: string, file: string) =>
    readChapter(file.replace(/^.*\/|\.md$/g, ''), read(`help/${language}/${file}`))
  const targets = (language: string, file: string): string[] =>
    [...read(`help/${language}/${file}`).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!).sort()
  const wanted = filesOf('en')

  test('is there for every language that a person can choose, and no other', () => {
    expect(namesIn('help').sort()).toEqual([...LANGUAGES].sort())
  })

  test('leads nowhere that is not there', () => {
    const places = new Set<string>(['/help', '/help/api', '/help/about', '/help/author', '/help/certificates'])
    const pictures = read('web/help/help-pictures.ts')
      .match(/\{([a-z,-]+)\}/)![1]!
      .split(',')
    for (const file of wanted.filter((each) => !each.includes('/'))) {
      const { id, headings } = chapterOf('en', file)
      places.add(file)
      for (const { id: part } of headings) places.add(`${id}.md#${part}`)
    }
    for (const file of wanted) {
      for (const target of targets('en', file)) {
        const picture = /^\.\.\/\.\.\/docs\/screenshots\/([a-z-]+)-light\.png$/.exec(target)?.[1]
        if (picture !== undefined) {
          expect([file, pictures]).toEqual([file, expect.arrayContaining([picture])])
          for (const theme of ['light', 'dark'])
            expect(existsSync(join(ROOT, `docs/screenshots/${picture}-${theme}.png`))).toBe(true)
        } else if (!target.startsWith('https://'))
          expect([file, [...places]]).toEqual([file, expect.arrayContaining([target])])
      }
    }
  })

  test('has the chapters that pages open it at', () => {
    const chapters = HELP_CHAPTERS.map(([, chapter]) => `${chapter}.md`)
    expect(chapters.filter((file) => !wanted.includes(file))).toEqual([])
  })

  describe.each(namesIn('help'))('in %s', (language) => {
    test('has every chapter', () => {
      const needed = wanted.filter((file) => !file.startsWith('author/'))
      expect(needed.filter((file) => !filesOf(language).includes(file))).toEqual([])
      expect(filesOf(language).filter((file) => !wanted.includes(file))).toEqual([])
    })

    test('has the parts, places, links and pictures of the English one', () => {
      for (const file of filesOf(language)) {
        const [given, original] = [chapterOf(language, file), chapterOf('en', file)]
        const shape = ({ headings, order, audience }: typeof given): unknown => [
          file,
          order,
          audience,
          headings.map(({ id, depth }) => `${depth} ${id}`),
        ]
        expect(shape(given)).toEqual(shape(original))
        expect(given.title).not.toBe('')
        expect([file, targets(language, file)]).toEqual([file, targets('en', file)])
      }
    })
  })
})

describe('these checks see', () => {
  test('plurals that a language does not have, or that are missing', () => {
    expect(pluralFaults('{n, plural, one {# Datei} other {# Dateien}}', 'de')).toEqual([])
    expect(pluralFaults('{n, plural, one {# файл} other {# файлов}}', 'ru')).toEqual([
      '“many” is missing',
      '“few” is missing',
    ])
    expect(pluralFaults('{n, plural, one {#} few {#} many {#} other {#}}', 'uk')).toEqual([])
    expect(pluralFaults('{n, plural, one {# 件} other {# 件}}', 'ja')).toEqual(['“one” is no plural of ja'])
    expect(pluralFaults('{n, plural, =0 {keine} one {#}}', 'de')).toEqual(['“other” is missing'])
  })
  test('placeholders, also inside plurals, and braces that do not close', () => {
    expect(messageShape('{a} {n, plural, one {# of {b}} other {{c}}}').placeholders).toEqual(['a', 'b', 'c', 'n'])
    expect(() => messageShape('{a')).toThrow('does not close')
    expect(() => messageShape('a}')).toThrow('too many')
    expect(() => messageShape('{n, select, other {}}')).toThrow('not known')
  })
  test('keys in literals and in templates', () => {
    const all = ['user.theme_dark', 'user.theme_light', 'user.menu', 'user.name']
    expect([...usedKeys("t(`user.theme_${one}`); const a = 'user.menu'", all)]).toEqual([
      'user.menu',
      'user.theme_dark',
      'user.theme_light',
    ])
  })
  test('sentences that nobody could translate', () => {
    const source = "f(say`It is said.`); g('It is not said.'); // It is no text.\nthrow new Error('It is a fault.')"
    expect(unsaidSentences(source)).toEqual(['It is not said.'])
  })
  test('sentences with values, escapes and other sentences in them', () => {
    const source = 'say`Run \\`npm\\`: ${f({ a: "}" })} and ${say`more ${1}`}.`'
    expect(sentenceTemplates(source)).toEqual([
      { template: 'Run `npm`: {0} and {1}.', values: 2 },
      { template: 'more {0}', values: 1 },
    ])
  })
})

test('numbers and times are written by web/text alone: separators are the same on every page', () => {
  const own = /\.toLocale(?!UpperCase|LowerCase)\w*String\(|\.toFixed\(|Intl\.(Number|DateTime|RelativeTime|Duration)/
  const pages = sourcesUnder(['web']).filter(({ path }) => !path.startsWith('web/text/'))
  expect(pages.length).toBeGreaterThan(400)
  expect(pages.filter(({ text }) => own.test(text)).map(({ path }) => path)).toEqual([])
})
