import { ShieldAlert } from 'lucide-react'
import { ViewHeading } from '../controls/view-heading.tsx'
import { inBoth, useWordsOf } from '../words/language.tsx'

const notAllowedWords = inBoth(
  {
    title: 'You do not have access to this page',
    help: 'This page requires a capability that your account does not have. If you have just been given it, log out and log in again.',
  },
  {
    title: 'Du har inte åtkomst till sidan',
    help: 'Sidan kräver en behörighet som ditt konto saknar. Om du just har fått den, logga ut och logga in igen.',
  },
)

/** Replaces a view that requires a capability of others. */
export function NotAllowed() {
  const words = useWordsOf(notAllowedWords)
  return (
    <div className="page">
      <ViewHeading title={words.title} />
      <p className="not-allowed">
        <ShieldAlert aria-hidden />
        {words.help}
      </p>
    </div>
  )
}
