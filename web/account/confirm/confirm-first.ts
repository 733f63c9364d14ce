import type { MouseEvent } from 'react'
import { call } from '../../client/api.ts'
import { askToConfirm } from './confirm-request.ts'

/**
 * For a link to a file that requires a fresh sign-in: asks first, because a refused download would open a page of JSON.
 */
export async function confirmFirst(event: MouseEvent<HTMLAnchorElement>): Promise<void> {
  event.preventDefault()
  const { href } = event.currentTarget
  const { fresh_until } = await call('GET /api/auth/confirm')
  if (fresh_until !== null || (await askToConfirm())) location.assign(href)
}
