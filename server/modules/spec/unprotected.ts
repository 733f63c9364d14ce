import { say } from '../../kernel/sentence.ts'

export const ONLY_PROTECTED = say`A token is only sent over https, or to a server in a private network.`

/** Whether what is sent to this address could be read on the way, over the internet. */
export function unprotected(url: string | null, allow_private: boolean): boolean {
  return url?.startsWith('http:') === true && !allow_private
}
