import { call } from '../../client/api.ts'
import { explainError } from '../../client/explain-error.ts'
import { toast } from '../../parts/feedback/toast.tsx'

/** Downloads everything that helps to diagnose a module as a file; the server masks secrets. */
export async function downloadDiagnostics(name: string): Promise<void> {
  try {
    const { module } = await call('GET /api/modules/{module_name}/diagnostics', { params: { module_name: name } })
    const address = URL.createObjectURL(
      new Blob([`${JSON.stringify(module, null, 2)}\n`], { type: 'application/json' }),
    )
    const link = document.createElement('a')
    link.href = address
    link.download = `${name}-diagnostics.json`
    link.click()
    // The download has started, but the browser may still be reading from the URL.
    setTimeout(() => URL.revokeObjectURL(address), 60_000)
  } catch (error) {
    toast({ text: explainError(error), tone: 'danger' })
  }
}
