import { queryClient } from './query-client.ts'
import { useActivity, type ActivitySignal } from './live.ts'

const SHARED = [['approvals'], ['runs'], ['conversations'], ['tools'], ['commands'], ['modules'], ['files']] as const

/** Makes the shared queries (queries.ts) stale when an event says that their answer has changed. */
export function useRefreshOnActivity(): void {
  useActivity((signal) => {
    for (const queryKey of staleKeys(signal)) void queryClient.invalidateQueries({ queryKey })
  })
}

function staleKeys(signal: ActivitySignal): readonly (readonly string[])[] {
  if (signal.kind === 'resync') return SHARED
  const { type } = signal.event
  if (type === 'run.delta' || type === 'tool.progress') return []
  if (type.startsWith('approval.')) return [['approvals'], ['runs']]
  if (type.startsWith('run.')) return [['runs'], ['conversations'], ['approvals']]
  if (type.startsWith('conversation.')) return [['conversations'], ['runs']]
  if (type === 'module.changed') return [['tools'], ['modules']]
  if (type === 'file.created') return [['files']]
  if (type === 'command.changed') return [['commands']]
  return []
}
