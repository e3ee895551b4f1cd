import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link2 } from 'lucide-react'
import { useState } from 'react'
import { announce } from '../controls/announcement.tsx'
import { ConfirmedButton } from '../controls/confirmed-button.tsx'
import { NotLoaded } from '../controls/not-loaded.tsx'
import { Pager, type Pages, usePages } from '../controls/pager.tsx'
import { Loading } from '../controls/loading.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import { ViewTitle } from '../controls/view-title.tsx'
import { momentWords } from '../controls/moment-text.tsx'
import { call, type ListedLink } from '../interface/calls.ts'
import { useWords, useWordsOf } from '../words/language.tsx'
import { areOff, pageQuery } from './link-reads.ts'
import { linkWords } from './link-words.ts'
import { NewLink } from './new-link.tsx'
import './links.css'

/** The person's one-time links, and the form for a new one. */
export function LinksView() {
  const words = useWordsOf(linkWords)
  const pages = usePages()
  const { data, error, refetch } = useQuery(pageQuery(undefined))
  if (areOff(error))
    return (
      <div className="page">
        <ViewTitle text={words.title} />
        <div className="nothing">
          <Link2 aria-hidden />
          <p>{words.off}</p>
        </div>
      </div>
    )
  if (error && !data) return <NotLoaded error={error} onTryAgain={refetch} />
  if (!data) return <Loading />
  return (
    <div className="page links">
      <div className="heading">
        <ViewTitle text={words.title} />
        <p className="soft">{words.introduction}</p>
      </div>
      <NewLink limits={data.CALLINFO.limits} onMade={pages.goFirst} />
      <section aria-labelledby="own-links">
        <h2 id="own-links">{words.yours}</h2>
        <OwnLinks pages={pages} />
      </section>
    </div>
  )
}

/**
 * The list of links. Its error does not replace the form beside it, which may show a new link that cannot be shown
 * again.
 */
function OwnLinks({ pages }: { readonly pages: Pages }) {
  const words = useWordsOf(linkWords)
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...pageQuery(pages.next),
    placeholderData: keepPreviousData,
  })
  const { links, next: following } = data?.CALLINFO ?? {}
  return (
    <>
      {error && <ErrorMessage error={error} onTryAgain={refetch} />}
      {links?.length === 0 && <p className="soft">{words.none}</p>}
      {links && links.length > 0 && (
        <ul className="own-links">
          {links.map((link) => (
            <OwnLink key={link.id} link={link} />
          ))}
        </ul>
      )}
      <Pager pages={pages} following={following} isTurning={isPlaceholderData} />
    </>
  )
}

function OwnLink({ link: { id, label, state, expires, closed } }: { readonly link: ListedLink }) {
  const words = useWordsOf(linkWords)
  const { locale } = useWords()
  const queries = useQueryClient()
  const [isRevoked, setIsRevoked] = useState(false)
  const [error, setError] = useState<unknown>()
  const name = label === '' ? words.unnamed : label
  const moment = (text: string) => momentWords(text, locale)

  async function revoke(signal: AbortSignal): Promise<void> {
    try {
      await call('link.revoke', { params: { linkid: id }, signal })
      setError(undefined)
      setIsRevoked(true)
      announce(words.revoked)
    } catch (refusal) {
      setError(refusal)
      throw refusal
    } finally {
      await queries.invalidateQueries({ queryKey: ['links'] })
    }
  }
  const shown = isRevoked ? 'revoked' : state
  return (
    <li>
      <span className="texts">
        <span className="title">{name}</span>
        <span className="soft">
          {words.states[shown] ?? shown} {closed === null ? words.until(moment(expires)) : words.at(moment(closed))}
        </span>
      </span>
      {shown === 'waiting' && (
        <ConfirmedButton
          isSmall
          label={words.revokeOf(name)}
          text={words.revoke}
          title={words.revokeTitle}
          question={words.revokeText(name)}
          onConfirm={revoke}
        />
      )}
      {/* The question has gone with the button where the link was opened meanwhile. */}
      {error !== undefined && shown !== 'waiting' && <ErrorMessage error={error} />}
    </li>
  )
}
