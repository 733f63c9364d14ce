import { describe, expect, test } from 'vitest'
import { asJson, withText } from '../arguments/arguments-draft.ts'
import { argumentFields } from '../arguments/argument-fields.ts'
import { type ParamFields, renamedFrom, toFields } from './param-kinds.ts'
import { toStep, toStepFields, withRenamed } from './step-fields.ts'

const step = toStepFields({
  module: 'system',
  tool: 'run_command',
  note: '',
  arguments: {
    command: 'df',
    args: ['-h', { $param: 'place' }],
    host: { $param: 'host' },
    other: { a: { $param: 'b' } },
  },
  confirm: false,
})
const param = (name: string): ParamFields => toFields({ name, title: name, test: { any: true } })

describe('a new name of a parameter', () => {
  test('reaches every reference, in fields and in JSON, and nothing else', () => {
    const expected = {
      command: 'df',
      args: ['-h', { $param: 'folder' }],
      host: { $param: 'host' },
      other: { a: { $param: 'b' } },
    }
    const renamed = withRenamed(step, 'place', 'folder')
    expect(toStep(renamed)?.arguments).toEqual(expected)
    expect(renamed.given.args['other']).toBe(step.given.args['other'])
    const json = withRenamed({ ...step, given: asJson(step.given) }, 'place', 'folder')
    expect(toStep(json)?.arguments).toEqual(expected)
    expect(withRenamed(step, 'nothing', 'else')).toBe(step)
  })

  test('leaves text that is half typed as it is', () => {
    const [field] = argumentFields({ properties: { deadline: { type: 'integer' } } })
    const typing = { ...step, given: withText(step.given, field!, 'soo') }
    expect(withRenamed(typing, 'place', 'folder').given.typed['deadline']?.text).toBe('soo')
    const half = { ...step, given: { ...step.given, json: '{"host": {"$param": "place"' } }
    expect(withRenamed(half, 'place', 'folder').given.json).toBe(half.given.json)
  })

  test('passes by what another parameter is called without taking its references', () => {
    const host = param('host')
    expect(renamedFrom({ ...host, name: 'hosts' }, [param('hosts')])).toBeNull()
    expect(renamedFrom({ ...host, name: 'hosts2' }, [param('hosts')])).toBe('host')
    // Another one has its old name now.
    expect(renamedFrom({ ...host, name: 'web' }, [param('host')])).toBeNull()
    expect(renamedFrom({ ...host, name: 'No name' }, [])).toBeNull()
    expect(renamedFrom(host, [])).toBeNull()
  })
})
