import { readdirSync, readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { filesModule } from '../builtin/files/module.ts'
import { httpModule } from '../builtin/http/module.ts'
import { sqlModule } from '../builtin/sql/module.ts'
import { systemModule } from '../builtin/system/module.ts'
import { tablesModule } from '../builtin/tables/module.ts'
import { LANGUAGES } from '../contract/accounts.ts'
import { argumentWords, manifestTexts, tableWords, toolsOfBuiltin, toolTexts } from './stage/modules/builtin-texts.ts'

// Nothing is called, so the modules need nothing to work on.
const NOTHING = {} as never
const MODULES = [
  filesModule(NOTHING),
  httpModule,
  sqlModule('/nowhere'),
  systemModule(NOTHING),
  tablesModule(NOTHING, NOTHING),
]
const TRANSLATED = LANGUAGES.filter((language) => language !== 'en')

describe.each(MODULES.map((module) => ({ module, name: module.manifest.name })))(
  'the module $name',
  ({ module, name }) => {
    /** Every text by where it stands, so that a failure says which tool lacks what. */
    let texts: { place: string; text: string }[]
    let offered: string[]
    beforeAll(async () => {
      const tools = await toolsOfBuiltin(module)
      offered = tools.filter((tool) => tool.hidden !== true).map((tool) => tool.name)
      texts = [
        ...manifestTexts(module).map((text) => ({ place: 'manifest', text })),
        ...tools.flatMap((tool) =>
          [...toolTexts(tool), ...argumentWords(tool)].map((text) => ({ place: `tool ${tool.name}`, text })),
        ),
        // Those of tables show somebody's data under names of theirs.
        ...(name === 'tables' ? [] : tableWords(name).map((text) => ({ place: 'tables', text }))),
      ]
    })

    test('has a file for every language, and no other', () => {
      expect(offered.sort()).toEqual(module.manifest.tools.map((tool) => tool.name).sort())
      expect(readdirSync(module.locales).sort()).toEqual(TRANSLATED.map((language) => `${language}.json`).sort())
    })

    test.each(TRANSLATED)('says everything to people in %s, and nothing that is not said any more', (language) => {
      const words = JSON.parse(readFileSync(new URL(`${language}.json`, module.locales), 'utf8')) as Record<
        string,
        string
      >
      expect(texts.filter(({ text }) => !(words[text] ?? '').trim())).toEqual([])
      const said = new Set(texts.map(({ text }) => text))
      expect(Object.keys(words).filter((text) => !said.has(text))).toEqual([])
      const places = (text: string) => [...text.matchAll(/\{\??\w+\}/g)].map(([place]) => place).sort()
      for (const [own, word] of Object.entries(words)) expect([own, places(word)]).toEqual([own, places(own)])
    })
  },
)
