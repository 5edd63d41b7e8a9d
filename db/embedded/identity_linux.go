package embedded

import "syscall"

// inUserNamespace is root, who inside of a user namespace of its own counts as
// who. Outside, processes and files stay root's, so that the server works below
// a folder into which nobody else may look. The user must be one that the system
// knows by name, because initdb asks for it.
func inUserNamespace(name string, who ids) []identity {
	return []identity{{
		name:  "root, as " + name + " in a user namespace",
		owner: ids{0, 0},
		attr: syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: who.uid, HostID: 0, Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: who.gid, HostID: 0, Size: 1}},
		},
	}}
}
