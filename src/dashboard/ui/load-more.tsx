import { Button } from '@mantine/core'

type List = { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> }

export const LoadMore = ({ list }: { list: List }) =>
  list.hasNextPage && (
    <div className="row load-more" style={{ justifyContent: 'center' }}>
      <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
        Load more
      </Button>
    </div>
  )
