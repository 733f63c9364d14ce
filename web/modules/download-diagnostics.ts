import { call } from '../api.ts'
import { explainError } from '../explain-error.ts'
import { toast } from '../parts/toast.tsx'

/** Saves everything that helps to find a fault as a file of the browser's downloads; secrets are masked by the server. */
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
    // The download has begun, but the browser may still read from it.
    setTimeout(() => URL.revokeObjectURL(address), 60_000)
  } catch (error) {
    toast({ text: explainError(error), tone: 'danger' })
  }
}
