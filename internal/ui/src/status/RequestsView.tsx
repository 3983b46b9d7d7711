export default function RequestsView() {
  return <div />
}
