import { describe, expect, test } from 'vitest'
import { wordingFrom } from '../../kernel/wording.ts'
import { mainTools, searchTools } from './tool-search.ts'
import type { Tool } from './tools.ts'

function named(
  module: string,
  name: string,
  about: { description?: string; properties?: object; effect?: string } = {},
) {
  const { description = '', properties = {}, effect = 'read' } = about
  const tool = { module, name, title: name, description, effect, input_schema: { type: 'object', properties } }
  return { name: `${module}.${name}`, tool: tool as unknown as Tool }
}

const ALL = [
  named('docker', 'list_containers', { description: 'Lists containers.' }),
  named('docker', 'stop', { description: 'Stops a container.', effect: 'destructive' }),
  named('system', 'disks', {
    description: 'How full the disks are.',
    properties: { mount: { description: 'A path.' } },
  }),
  named('mail', 'send', { description: 'Sends a letter.', effect: 'write' }),
]
const found = (words: string, texts: Record<string, string> = {}) =>
  searchTools(ALL, words, () => wordingFrom('de', texts)).map(({ name }) => name)

describe('tools by words', () => {
  test('are found by names first, then by what they say, and by their arguments', () => {
    expect(found('container')).toEqual(['docker.list_containers', 'docker.stop'])
    expect(found('path')).toEqual(['system.disks'])
    expect(found('zebra')).toEqual([])
  })

  test.each(['docker.list_containers', 'docker__list-containers', '"list containers",', '(containers)'])(
    'are found by their name, whatever stands around its words: %s',
    (words) => expect(found(words)[0]).toBe('docker.list_containers'),
  )

  test('are found without the ending of a word that no tool has, unless too little of it is left', () => {
    expect(found('letters')).toEqual(['mail.send'])
    expect(found('letterbox')).toEqual([])
    expect(found('sends')).toEqual(['mail.send'])
  })

  test('are found in the language of the person as well as in their own', () => {
    const texts = { 'How full the disks are.': 'Wie voll die Festplatten sind.' }
    expect(found('Festplatte', texts)).toEqual(['system.disks'])
    expect(found('disks', texts)).toEqual(['system.disks'])
    expect(found('Festplatte')).toEqual([])
  })

  test('are looked for by the first dozen words, however many there are, so that a search never holds up the service', () => {
    const many = Array.from({ length: 1000 }, (_, at) =>
      named('wide', `look_${at}`, { description: `At ${at}. ${'Says what there is. '.repeat(50)}` }),
    )
    const others = Array.from({ length: 40_000 }, (_, at) => `zebra${at}`)
    const from = performance.now()
    expect(searchTools(many, ['look_7', ...others].join(' ')).length).toBeGreaterThan(0)
    expect(searchTools(many, [...others, 'look'].join(' '))).toEqual([])
    expect(performance.now() - from).toBeLessThan(5000)
  })

  test('stand for all when each module gives one in turn, those that read first', () => {
    let left = 3
    const main = mainTools(ALL, () => left-- > 0)
    expect(main.map(({ name }) => name)).toEqual(['docker.list_containers', 'system.disks', 'mail.send'])
  })
})
