import { ChevronRight } from 'lucide-react'
import { useId } from 'react'
import type { Approval, GrantOffer, GrantWanted } from '../../contract/chat.ts'
import { t } from '../text/i18n.ts'
import { loosenedText, spanText } from './grant-text.ts'

interface ApprovalOffersProps {
  readonly approval: Pick<Approval, 'offers'>
  /** What **Approve** allows beyond this call; null: nothing. */
  readonly value: GrantWanted | null
  onChange(value: GrantWanted | null): void
}

/** As often and as long as a card suggests; of less than that, as much as there is. */
const SUGGESTED = { uses: 20, minutes: 60 }

/** How far an approval goes: only this call, the same again, or calls like it. Folded, because the first is the rule. */
export function ApprovalOffers({ approval, value, onChange }: ApprovalOffersProps) {
  const name = useId()
  const offers = approval.offers ?? []
  const whole = offers.find((offer) => offer.for_conversation)
  const chosen = offers.find(({ offer_id }) => offer_id === value?.offer_id)
  const choices = [null, ...offers].map((offer) => ({
    key: offer?.offer_id ?? '',
    label: offer === null ? t('approval.reach_once') : offerText(offer),
    wanted: offer && wantedOf(offer),
  }))
  return (
    <div className="space-y-2 text-sm">
      <details className="group/reach">
        <summary className="text-muted hover:text-ink flex list-none items-start gap-1 [&::-webkit-details-marker]:hidden">
          <ChevronRight
            aria-hidden
            className="mt-0.5 size-4 shrink-0 transition-transform group-open/reach:rotate-90"
          />
          <span className="min-w-0 break-words">
            {t('approval.reach')}{' '}
            <span className="text-ink">{chosen === undefined ? t('approval.reach_once') : offerText(chosen)}</span>
          </span>
        </summary>
        <fieldset className="mt-2 space-y-1.5 ps-5">
          <legend className="sr-only">{t('approval.reach')}</legend>
          {choices.map(({ key, label, wanted }) => (
            <label key={key} className="flex items-start gap-2.5">
              <input
                type="radio"
                name={name}
                checked={(value?.offer_id ?? '') === key}
                onChange={() => onChange(wanted)}
                className="mt-0.5 size-4 shrink-0 accent-(--accent)"
              />
              <span className="min-w-0 break-words">{label}</span>
            </label>
          ))}
        </fieldset>
      </details>
      {whole !== undefined && (
        <p className="text-muted break-words">
          {t('approval.for_conversation_means', {
            what: whole.kind === 'exact' ? t('approval.like_same') : loosenedText(whole.loosened),
            span: spanText(whole.max_uses, whole.max_minutes),
          })}
        </p>
      )}
    </div>
  )
}

function wantedOf({ offer_id, max_uses, max_minutes }: GrantOffer): GrantWanted {
  const { uses, minutes } = SUGGESTED
  return { offer_id, uses: Math.min(uses, max_uses), minutes: Math.min(minutes, max_minutes) }
}

function offerText(offer: GrantOffer): string {
  const { uses, minutes } = wantedOf(offer)
  const span = spanText(uses, minutes)
  if (offer.kind === 'exact') return t('approval.offer_same', { span })
  const what = loosenedText(offer.loosened)
  return offer.renews ? t('approval.offer_renew', { what, span }) : t('approval.offer_like', { what, span })
}
