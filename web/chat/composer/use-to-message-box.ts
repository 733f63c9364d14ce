import { useRouter } from '@tanstack/react-router'
import { useCallback } from 'react'
import { type MessageRequest, requestMessage } from './message-request.ts'

/** Puts a text in the message box from any page, opening the chat if necessary. */
export function useToMessageBox(): (request: MessageRequest) => void {
  const router = useRouter()
  return useCallback(
    (request: MessageRequest) => {
      requestMessage(request)
      if (request.target === 'new') void router.navigate({ to: '/chat', search: { new: true } })
      else if (router.state.location.pathname !== '/chat') void router.navigate({ to: '/chat' })
    },
    [router],
  )
}
