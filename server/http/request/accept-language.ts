import { LANGUAGES } from '../../../contract/accounts.ts'

/**
 * The language for a visitor the service does not know yet: the available one the browser prefers most
 * (`Accept-Language`, RFC 9110 §12.5.4), or English.
 */
export function languageOf(acceptLanguage: string | undefined): string {
  const wanted = (acceptLanguage ?? '')
    .slice(0, 500)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part
        .trim()
        .toLowerCase()
        .split(/\s*;\s*/)
      const quality = parameters.find((parameter) => parameter.startsWith('q='))
      return { language: tag.split('-')[0], weight: quality === undefined ? 1 : Number(quality.slice(2)) }
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
  return (
    wanted.map(({ language }) => LANGUAGES.find((one) => one === language)).find((one) => one !== undefined) ?? 'en'
  )
}
