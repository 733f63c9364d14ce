import type { QueryClient } from '@tanstack/react-query'
import { call } from '../../client/api.ts'
import { t } from '../../text/i18n.ts'
import { toast } from '../../parts/feedback/toast.tsx'
import { engineChanged, type EngineEntry } from './engine-query.ts'

/**
 * Finds out what models can do of which nothing is known yet, one after the other, and says which of them take no tools.
 * What goes wrong is no reason to bother anybody: the page of the engine shows what is not known.
 */
export async function probeNewModels({ engine_id, facts = [] }: EngineEntry, client: QueryClient): Promise<void> {
  for (const { model } of facts.filter((one) => one.facts.length === 0)) {
    const probed = await call('POST /api/admin/ai/engines/{engine_id}/probe', {
      params: { engine_id },
      body: { model },
    }).catch(() => null)
    if (probed === null) return
    const found = probed.engine.facts?.find((one) => one.model === model)?.facts ?? []
    if (found.some(({ fact, value }) => fact === 'tools' && value === 0))
      toast({ text: t('engine.model_no_tools', { model }), tone: 'warn' })
    await engineChanged(client)
  }
}
