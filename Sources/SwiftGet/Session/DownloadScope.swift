/// Several tasks together: a session, a group, a selection, an array or a set of tasks.
///
/// Of a session and a group it is always the tasks that they have at the moment. Of a selection it is those that are selected
/// when a call is made.
public protocol DownloadScope: DownloadControls {}
