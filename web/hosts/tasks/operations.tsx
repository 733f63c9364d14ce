import { useMutation, useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useCallback, useMemo, useState } from 'react'
import { explainError } from '../../client/explain-error.ts'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { toast } from '../../parts/feedback/toast.tsx'
import { t } from '../../text/i18n.ts'
import type { Host } from '../hosts-query.ts'
import { hostToolsQuery, type ToolArguments } from './look-query.ts'
import type { Operation } from './operation.ts'
import { type Operations, OperationsContext, useOperations } from './operations-context.ts'
import { startCall, type StartedCall } from './start-call.ts'

const OperationDialog = lazy(async () => ({ default: (await import('./operation-dialog.tsx')).OperationDialog }))
const StartedCalls = lazy(async () => ({ default: (await import('./started-calls.tsx')).StartedCalls }))

/**
 * Operations on a machine for everything in it. Each becomes a call in a conversation, exactly as if it had been typed
 * there, and is shown here as it goes on: card, result, proof, what takes it back.
 */
export function HostOperations({ host, children }: { readonly host: Host; readonly children: ReactNode }) {
  const [asking, setAsking] = useState<Operation | null>(null)
  const [started, setStarted] = useState<readonly StartedCall[]>([])
  const tools = useQuery(hostToolsQuery(host)).data?.items
  const { mutate, isPending } = useMutation({
    mutationFn: ({ operation, args }: { readonly operation: Operation; readonly args: ToolArguments }) =>
      startCall(host, operation, args),
    onSuccess: (call) => {
      setAsking(null)
      setStarted((before) => [call, ...before.filter((one) => one.conversation_id !== call.conversation_id)])
    },
    onError: (error) => toast({ text: explainError(error), tone: 'danger' }),
    networkMode: 'always',
  })
  const begin = useCallback(
    (operation: Operation) =>
      operation.fields === undefined ? mutate({ operation, args: operation.args }) : setAsking(operation),
    [mutate],
  )
  const value = useMemo<Operations>(
    () => ({
      begin,
      busy: isPending,
      started,
      close: (call) => setStarted((before) => before.filter((one) => one !== call)),
      whyNot(tool) {
        // Until they are known everything can be tried: the server judges it anyway.
        if (tools === undefined) return null
        const found = tools.find((one) => one.tool === tool)
        if (found === undefined) return t('hosts.tool_off')
        return found.policy === 'deny' ? found.reason : null
      },
    }),
    [begin, isPending, started, tools],
  )
  return (
    <OperationsContext value={value}>
      <Suspense>
        {asking !== null && (
          <OperationDialog
            operation={asking}
            busy={isPending}
            onClose={() => setAsking(null)}
            onSend={(args) => mutate({ operation: asking, args })}
          />
        )}
      </Suspense>
      {children}
    </OperationsContext>
  )
}

/** What comes of the operations that were started here: cards, results, proofs. */
export function StartedOperations({ host }: { readonly host: Host }) {
  const { started, close } = useOperations()
  return (
    started.length > 0 && (
      <Suspense fallback={<SkeletonRows rows={1} className="h-24 rounded-lg" />}>
        <StartedCalls host={host} calls={started} onClose={close} />
      </Suspense>
    )
  )
}
