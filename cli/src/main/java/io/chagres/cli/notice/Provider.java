package io.chagres.cli.notice;

/** The cloud whose metadata service is asked. */
public enum Provider {
    /** Amazon EC2: interruption of spot instances and recommendations to rebalance, by IMDSv2. */
    AWS,
    /** Google Compute Engine: preemption. */
    GCP,
    /** Azure: scheduled events. */
    AZURE,
    /** The one that answers. */
    AUTO
}
