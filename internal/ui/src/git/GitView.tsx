export default function GitView() {
  return <div />
}
