import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { ApiError } from '../../client/api-error.ts'
import { t } from '../../text/i18n.ts'
import { announce } from '../../parts/feedback/announcer.tsx'
import { toast } from '../../parts/feedback/toast.tsx'
import { keepBegun } from '../add/additions-query.ts'
import { moduleQuery } from '../list/module-queries.ts'
import { sendModule, uploadModule } from './upload-module.ts'

/** Same as in the contract, which cannot be loaded here without zod. */
const SIZE_LIMIT = 4 * 1024 ** 3

export type Installing =
  | { readonly step: 'none' }
  /** `share` 1: uploaded, now being checked. */
  | { readonly step: 'upload'; readonly file: File; readonly share: number }
  | { readonly step: 'failed'; readonly file: File; readonly error: unknown; readonly olderOffered: boolean }

/** Installs bundles, one at a time, and opens the review. Leaving the page cancels an unfinished upload. */
export function useInstall() {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [state, setState] = useState<Installing>({ step: 'none' })
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])
  const start = async (file: File, allowDowngrade = false): Promise<void> => {
    if (running.current !== null) return toast({ text: t('modules.install_one'), tone: 'warn' })
    if (file.size > SIZE_LIMIT) {
      const error = new ApiError({ status: 413, code: 'payload_too_large', detail: t('modules.install_too_large') })
      return setState({ step: 'failed', file, error, olderOffered: false })
    }
    const abort = new AbortController()
    running.current = abort
    setState({ step: 'upload', file, share: 0 })
    try {
      const upload = {
        file,
        allowDowngrade,
        onProgress: (share: number) => setState({ step: 'upload', file, share }),
        signal: abort.signal,
      }
      const answer = await uploadModule(upload).catch((error: unknown) => {
        // Its packages are fetched first, which takes longer than anybody should wait for an answer.
        if (error instanceof ApiError && error.code === 'uv_bundle') return sendModule(upload)
        throw error
      })
      if ('addition' in answer) {
        keepBegun(queryClient, answer.addition)
        setState({ step: 'none' })
        return await navigate({ to: '/modules' })
      }
      const { module, review, previous_version: before } = answer
      void queryClient.invalidateQueries({ queryKey: ['modules'] })
      // The new version did not start, so the server went back to the old one.
      const back = review.warnings.find(({ code }) => code === 'rolled_back')
      if (back !== undefined) throw new ApiError({ status: 409, code: 'module_start_failed', detail: back.message })
      setState({ step: 'none' })
      const values = { name: module.display_name, version: module.version, before: before ?? '' }
      const done = t(before === null ? 'modules.installed' : 'modules.upgraded', values)
      queryClient.setQueryData(moduleQuery(module.name).queryKey, module)
      // An upgrade that requests no more access continues by itself; only its new tools need review.
      const running = module.enabled && module.state !== 'needs_review'
      const search = !running ? { review: true as const } : module.changed_tools > 0 ? { tab: 'tools' } : {}
      // The review that opens says it in its title, which a toast would cover.
      if (running) toast({ text: done, tone: 'ok' })
      announce(done)
      await navigate({ to: '/modules/$name', params: { name: module.name }, search })
    } catch (error) {
      if (abort.signal.aborted) setState({ step: 'none' })
      else
        setState({
          step: 'failed',
          file,
          error,
          olderOffered: error instanceof ApiError && error.code === 'downgrade',
        })
    } finally {
      running.current = null
    }
  }
  return {
    state,
    start: (file: File, allowDowngrade?: boolean) => void start(file, allowDowngrade),
    cancel: () => running.current?.abort(),
    dismiss: () => setState({ step: 'none' }),
  }
}
