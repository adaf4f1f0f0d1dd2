package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/r2sgld/r2sgld/internal/config"
)

func schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "JSON schema of configurations, for completion and checks in editors",
		Long: `The JSON schema (draft 2020-12) of the configurations of sample, identify, train and
theory. Editors that know YAML schemas complete keys by it, tell what they mean and mark
wrong values. Those with the YAML language server take the file that a first line names:
  # yaml-language-server: $schema=r2sgld.schema.json`,
		Example: "  r2sgld schema > r2sgld.schema.json",
		Args:    takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			text, err := config.Schema()
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), string(text))
			return err
		},
	}
}
