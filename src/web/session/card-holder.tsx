import { Loading } from '../controls/loading.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import { useWords } from '../words/language.tsx'
import { addressWithCard, isAtCardPort, type useShownCard } from './shown-card.ts'

/** The owner of the smartcard that the browser shows here, or a link to the page that asks for smartcards. */
export function CardHolder({ card: { data, error, refetch } }: { readonly card: ReturnType<typeof useShownCard> }) {
  const words = useWords()
  if (error) return <ErrorMessage error={error} onTryAgain={refetch} />
  if (data === undefined) return <Loading />
  if (data !== null) return <p className="soft">{words.cardOf(data)}</p>
  if (isAtCardPort()) return <p className="soft">{words.noCard}</p>
  return (
    <>
      <p className="soft">{words.cardElsewhere}</p>
      <a className="button primary" href={addressWithCard()}>
        {words.toCardPage}
      </a>
    </>
  )
}
