import { describe, expect, test } from 'vitest'
import { ENGINE_PRESETS } from '../../../contract/engine-presets.ts'
import { engineDraftOf, faultsOf, presetOf, engineRequestOf, withAddress, withPreset } from './engine-draft.ts'

const STORED = {
  engine_id: 'eng_1',
  source: 'settings' as const,
  name: 'Workshop',
  models: ['qwen', 'qwen-large'],
  role_ids: ['rol_1'],
  default: true,
  naming: false,
  updated_at: null,
  updated_by: 'admin',
  provider: 'openai-compatible' as const,
  base_url: 'http://10.0.0.5:11434/v1',
  model: 'qwen',
  api_key: { configured: true, updated_at: null },
  context_tokens: 32_000,
  tool_tokens: 8000,
  price: { input: 0.5, output: 2 },
  timeout_ms: 120_000,
  idle_timeout_ms: 60_000,
  request: {
    headers: [{ name: 'api-key', value: '{key}' }],
    query: [{ name: 'api-version', value: '2024=10' }],
    max_output_tokens: 4000,
    effort: 'low' as const,
    cache: false,
    count_tokens: false,
    ollama: true,
  },
  fallback_id: 'eng_2',
}

describe('the form of an engine', () => {
  test('sends back what it was given, and never the key', () => {
    const sent = engineRequestOf(engineDraftOf(STORED))
    const { name, provider, base_url, model, role_ids, context_tokens, price, timeout_ms, idle_timeout_ms } = STORED
    const { request, fallback_id } = STORED
    const limits = { context_tokens, price, timeout_ms, idle_timeout_ms }
    const uses = { role_ids, default: true, naming: false, fallback_id, request }
    expect(sent).toEqual({ name, provider, base_url, model, models: ['qwen-large'], ...uses, ...limits })
    expect(engineRequestOf({ ...engineDraftOf(STORED), name: ' ' })).toMatchObject({ name: 'qwen' })
    expect(engineRequestOf({ ...engineDraftOf(STORED), api_key: '' })).toMatchObject({ api_key: null })
    expect(engineRequestOf({ ...engineDraftOf(STORED), api_key: ' sk-1 ' })).toMatchObject({ api_key: 'sk-1' })
  })

  test('takes nothing of one provider along to another', () => {
    for (const preset of ENGINE_PRESETS) {
      const draft = withPreset(engineDraftOf(STORED), preset)
      expect(draft).toMatchObject({ api_key: '', model: '', price_input: '', ollama: preset.id === 'ollama' })
      expect(presetOf(draft)).toBe(preset)
    }
    expect(presetOf(engineDraftOf(STORED))).toBeNull()
  })

  test('is Ollama’s at its port, whichever machine it is on, unless somebody says otherwise', () => {
    const at = (draft: ReturnType<typeof engineDraftOf>, ...urls: string[]) => urls.reduce(withAddress, draft)
    const first = engineDraftOf(null)
    expect(first).toMatchObject({ base_url: 'http://127.0.0.1:11434/v1', ollama: true })
    expect(at(first, 'http://gpu.lan:11434/v1').ollama).toBe(true)
    expect(at(first, 'http://gpu.lan:8000/v1').ollama).toBe(false)
    expect(at(first, '', 'http://gpu.lan:11434').ollama).toBe(true)
    const off = { ...first, ollama: false }
    expect(at(off, 'http://gpu.lan:11434/v1').ollama).toBe(false)
    expect(at({ ...at(first, 'https://gpu.lan/v1'), ollama: true }, 'https://other.lan/v1').ollama).toBe(true)
  })

  test('says what is wrong', () => {
    const faults = (change: object) => [...faultsOf({ ...engineDraftOf(STORED), ...change })]
    expect(faults({})).toEqual([])
    expect(faults({ base_url: '' })).toEqual(['address'])
    expect(faults({ base_url: 'ftp://a' })).toEqual(['address'])
    expect(faults({ provider: 'openai', base_url: '' })).toEqual([])
    expect(faults({ model: ' ' })).toEqual(['model'])
    expect(faults({ context_tokens: '1e5' })).toEqual(['context'])
    expect(faults({ price_input: '1,5', price_output: '' })).toEqual(['price_pair'])
    expect(faults({ price_input: '-1' })).toEqual(['price'])
    expect(faults({ timeout: '0' })).toEqual(['timeout'])
    expect(faults({ headers: 'no colon' })).toEqual(['headers'])
    expect(faults({ headers: 'x y: 1' })).toEqual(['headers'])
    expect(faults({ query: '=1' })).toEqual(['query'])
    expect(faults({ max_output: '0' })).toEqual(['max_output'])
    expect(faults({ headers: '', query: ' \n', max_output: '' })).toEqual([])
  })
})
